package io.posthorn.postgresql.log;

import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Claim;
import io.posthorn.core.store.ClaimLimits;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Move;
import io.posthorn.core.store.Waiting;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.postgresql.TestServer;
import io.posthorn.testkit.TestLane;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A lane reads the messages of its buckets, and no others, however it reads them. */
class LaneBucketsTest {
  private static final int LANES = 4;

  private final PostgresqlDatabase database = TestServer.newest().database();
  private final TestLanes lanes = new TestLanes(database);
  private final List<TestLane> shop = lanes.takeAll("shop", LANES);

  @AfterEach
  void close() {
    database.close();
  }

  private static List<Message> some(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> i % 4 == 0 ? message("no key") : keyed("k" + i % 20, "" + i))
        .toList();
  }

  private void add(int count) {
    lanes.add(some(count).toArray(Message[]::new));
  }

  /** Returns the messages of the log in these buckets, in order. */
  private List<UUID> logged(int lane) {
    return database.query(
        "SELECT id FROM posthorn_log WHERE posthorn_bucket(aggregate_type, key, id) / 64 = %d ORDER BY seq"
            .formatted(lane),
        row -> row.getObject(1, UUID.class));
  }

  private static List<UUID> ids(Stream<Delivery> deliveries) {
    return deliveries.map(delivery -> delivery.message().id()).toList();
  }

  /** Claims, reads ahead and settles until nothing is left. */
  private static List<UUID> drain(TestLane lane, ClaimLimits limits) {
    List<UUID> all = new ArrayList<>();
    for (Batch batch = lane.claim(limits).batch(); batch != null; ) {
      List<Batch> batches = new ArrayList<>(List.of(batch));
      Optional<Batch> ahead = lane.readAhead(batch, limits);
      ahead.ifPresent(batches::add);
      batches.forEach(one -> all.addAll(ids(one.deliveries().stream())));
      Claim next = lane.settle(TestLane.thenClaim(lane.settlement(batches), limits));
      batch = next.batch();
    }
    return all;
  }

  @Test
  void by_pages_claimed_read_ahead_and_claimed_by_a_settle() {
    add(200);
    for (int lane = 0; lane < LANES; lane++) {
      assertThat(logged(lane)).hasSizeGreaterThan(12);
      assertThat(drain(shop.get(lane), TestLane.atMost(5))).isEqualTo(logged(lane));
    }
  }

  @Test
  void by_a_claim_that_guesses_where_its_window_begins() {
    shop.forEach(lane -> drain(lane, TestLane.ALL));
    add(60);
    for (int lane = 0; lane < LANES; lane++) {
      assertThat(drain(shop.get(lane), TestLane.ALL)).isEqualTo(logged(lane));
    }
  }

  @Test
  void from_transactions_that_were_open_when_it_passed_their_numbers() throws Exception {
    try (Connection late = database.dataSource().getConnection()) {
      late.setAutoCommit(false);
      lanes.store().append(late, some(80), Collections.nCopies(80, ""), false);
      add(1);
      shop.forEach(lane -> drain(lane, TestLane.ALL));
      late.commit();
      late.setAutoCommit(true);
    }
    UUID first = newestBut(0);
    for (int lane = 0; lane < LANES; lane++) {
      List<UUID> expected = new ArrayList<>(logged(lane));
      expected.remove(first);
      assertThat(drain(shop.get(lane), TestLane.ALL)).isEqualTo(expected);
    }
  }

  private UUID newestBut(int offset) {
    return database
        .query(
            "SELECT id FROM posthorn_log ORDER BY seq DESC OFFSET %d LIMIT 1".formatted(offset),
            row -> row.getObject(1, UUID.class))
        .get(0);
  }

  @Test
  void when_they_are_parked_and_due() {
    add(80);
    for (TestLane lane : shop) {
      Batch batch = lane.batch();
      lane.settle(
          batch,
          batch.deliveries().stream()
              .map(
                  one ->
                      new Move.Park(
                          one, Waiting.RETRY, 1, Duration.ZERO, Reason.of("TEST", "again")))
              .toArray(Move[]::new));
    }
    for (int lane = 0; lane < LANES; lane++) {
      assertThat(ids(shop.get(lane).parked().stream()))
          .containsExactlyInAnyOrderElementsOf(logged(lane));
    }
  }

  @Test
  void a_lane_does_not_wait_for_what_is_due_in_another() {
    add(80);
    shop.forEach(lane -> drain(lane, TestLane.ALL));
    add(80);
    TestLane first = shop.get(0);
    Batch batch = first.batch();
    Delivery failed = batch.deliveries().get(0);
    Reason why = Reason.of("TEST", "again");
    first.settle(batch, new Move.Park(failed, Waiting.RETRY, 1, Duration.ofMinutes(1), why));
    assertThat(first.state().dueIn()).isNotNull();
    assertThat(shop.get(1).state().dueIn()).isNull();
  }

  /** The lanes of a destination may be divided anew between two claims of this program. */
  @Test
  void by_the_range_of_the_locked_row_and_not_by_a_remembered_one() {
    TestLane lane = shop.get(1);
    drain(lane, TestLane.ALL);
    database.execute(
        """
        UPDATE posthorn_lane SET last_bucket = 95 WHERE destination = 'shop' AND lane = 1;
        UPDATE posthorn_lane SET first_bucket = 96 WHERE destination = 'shop' AND lane = 2
        """);
    add(80);
    List<UUID> lower =
        database.query(
            "SELECT id FROM posthorn_log WHERE posthorn_bucket(aggregate_type, key, id) BETWEEN 64 AND 95 ORDER BY seq",
            row -> row.getObject(1, UUID.class));
    assertThat(lower).isNotEmpty();
    assertThat(drain(lane, TestLane.ALL)).isEqualTo(lower);
  }
}
