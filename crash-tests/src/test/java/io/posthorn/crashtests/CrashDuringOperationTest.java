package io.posthorn.crashtests;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.operation.Operation;
import io.posthorn.core.operate.operation.Operation.State;
import io.posthorn.core.operate.operation.Operations;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.crashtests.CrashPlan.Action;
import io.posthorn.testservers.EmbeddedPostgres;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The relay that carries a bulk requeue out is frozen or killed in the middle of a step. */
@Tag("slow")
class CrashDuringOperationTest {
  private static final int KEYS = 10;
  private static final int PER_KEY = 40;
  private static final Actor ANNA = new Actor("anna", "the receiver is fixed");

  // As if they had died for the receiver: each key's in order, all keys in turn.
  private static final String DIE =
      """
      INSERT INTO posthorn_dead
             (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type, headers,
              occurred_at, recorded_at, seq, position, reason, last_reason, error, fingerprint, attempts,
              first_failed_at, last_failed_at)
      SELECT 'orders', gen_random_uuid(), 'Known', 1, 'Rescued', 'rescued-' || n %% %1$d,
             convert_to('rescued-' || n %% %1$d || ' ' || n / %1$d, 'UTF8'), 'text/plain', '{}',
             clock_timestamp(), clock_timestamp(), s.seq, s.seq, 'CLOSED', 'CLOSED', 'the shop is closed',
             'cause', 1, clock_timestamp(), clock_timestamp()
        FROM generate_series(0, %1$d * %2$d - 1) AS n
       CROSS JOIN LATERAL (SELECT nextval('posthorn_seq') + n * 0 AS seq) s
      """;

  static Stream<Arguments> crashes() {
    return Stream.of(CrashPoint.values())
        .filter(point -> point.call() == Call.OPERATIONS)
        .flatMap(point -> Stream.of(Action.values()).map(action -> Arguments.of(point, action)));
  }

  @ParameterizedTest
  @MethodSource("crashes")
  void every_letter_is_requeued_once_and_in_order_though_the_relay_crashes_at(
      CrashPoint point, Action action) {
    try (World world = World.in(EmbeddedPostgres.shared(), point.hashCode())) {
      RelayProcess victim = world.start("victim").awaitReady();
      world.holder(World.ORDERS);
      world.query().execute(DIE.formatted(KEYS, PER_KEY));
      String order = victim.arm(point, action, 2);
      Operations operations = Operations.on(world.operator());
      Operation started = operations.start(Plan.requeue(DeadLetterQuery.waiting()), ANNA);
      victim.awaitReached(order);
      world.start("other").awaitReady();
      Operation ended =
          world.eventually(
              "the operation to end and all to arrive",
              () ->
                  operations
                      .find(started.id())
                      .filter(o -> o.state() == State.DONE && o.underWay() == 0)
                      .orElse(null));
      if (action == Action.FREEZE) {
        victim.thaw();
      }
      BrokenPromise.unless(
          () -> {
            assertThat(ended.done()).isEqualTo(KEYS * PER_KEY);
            assertThat(ended.refused()).isZero();
            assertThat(ended.sent()).isEqualTo(KEYS * PER_KEY);
            assertThat(arrived(world))
                .as(() -> world.story("what arrived of each key"))
                .hasSize(KEYS)
                .allSatisfy(
                    (key, numbers) ->
                        assertThat(numbers)
                            .containsExactlyElementsOf(
                                IntStream.range(0, PER_KEY).boxed().toList()));
          });
    }
  }

  /** Of each key, in the order of their first arrivals. */
  private static Map<String, List<Integer>> arrived(World world) {
    return world
        .journal()
        .deliveries()
        .filter(Journal.Line::accepted)
        .map(line -> line.content().split(" "))
        .collect(
            Collectors.groupingBy(
                words -> words[0],
                Collectors.mapping(
                    words -> Integer.valueOf(words[1]),
                    Collectors.collectingAndThen(
                        Collectors.toList(),
                        all -> new ArrayList<>(all.stream().distinct().toList())))));
  }
}
