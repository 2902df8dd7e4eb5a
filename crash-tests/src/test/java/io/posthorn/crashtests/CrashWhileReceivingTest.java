package io.posthorn.crashtests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.core.bus.Mode;
import io.posthorn.crashtests.CrashPlan.Action;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.Tables;
import io.posthorn.testservers.EmbeddedPostgres;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every named moment of receiving: the program is frozen there until the broker has given its
 * messages to another, and one is killed there. In the end every message took effect once, in the
 * order of its key.
 */
@Tag("slow")
class CrashWhileReceivingTest {
  private static final int KEYS = 5;

  private final EmbeddedPostgres postgres = EmbeddedPostgres.shared();
  private final String database = postgres.freshDatabase();
  private final HikariDataSource dataSource = Pool.of(postgres.dataSource(database));
  private final TableBroker broker = new TableBroker(dataSource);
  private final Random random = new Random(11);
  private long n;

  static Stream<CrashPoint> points() {
    return Stream.of(CrashPoint.values())
        .filter(
            point ->
                point.when() == CrashPoint.When.RECEIVING
                    || point.when() == CrashPoint.When.STORING);
  }

  @AfterEach
  void close() {
    dataSource.close();
  }

  @ParameterizedTest
  @MethodSource("points")
  void every_message_takes_effect_once_though_a_receiver_freezes_or_dies_at(CrashPoint point)
      throws SQLException {
    new Migrations(Tables.DEFAULT).migrate(dataSource);
    broker.create();
    Mode mode = point.when() == CrashPoint.When.RECEIVING ? Mode.DIRECT : Mode.DURABLE;
    try (ReceiverProcess frozen = start(mode).awaitReady()) {
      String order = frozen.arm(point, Action.FREEZE);
      publishUntil(frozen, order);
      try (ReceiverProcess killed = start(mode).awaitReady()) {
        awaitReplaced(frozen);
        // Both are at work now, and who has which partitions is nobody's business.
        frozen.thaw();
        publish(20);
        awaitDone(killed);
        frozen.close();
        order = killed.arm(point, Action.KILL);
        publishUntil(killed, order);
        killed.awaitExit();
        try (ReceiverProcess last = start(mode).awaitReady()) {
          publish(20);
          awaitDone(last);
        }
      }
    }
    BrokenPromise.unless(() -> assertThat(broker.wrongEffects()).as(point::toString).isZero());
  }

  private ReceiverProcess start(Mode mode) {
    return ReceiverProcess.start(postgres.jdbcUrl(database) + World.TIMEOUTS, mode);
  }

  private void publish(int each) throws SQLException {
    for (int i = 0; i < each; i++) {
      n++;
      for (int key = 0; key < KEYS; key++) {
        broker.publish("k" + key, n, random.nextInt(4) == 0);
      }
    }
  }

  /** Messages flow until it is there: some moments come only when a handler fails. */
  private void publishUntil(ReceiverProcess receiver, String order) throws SQLException {
    for (int round = 0; round < 3; round++) {
      publish(20);
    }
    receiver.awaitReached(order);
  }

  /** Its messages and its lane belong to another. */
  private void awaitReplaced(ReceiverProcess frozen) {
    Query query = new Query(dataSource);
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () ->
                assertThat(query.holder(ReceiverMain.CONSUMER))
                    .isNotEmpty()
                    .isNotEqualTo("relay-" + frozen.pid()));
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() -> assertThat(broker.owners()).doesNotContain(frozen.pid()));
  }

  private void awaitDone(ReceiverProcess last) {
    BrokenPromise.unless(
        () ->
            await()
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(
                    () -> {
                      assertThat(broker.unacknowledged()).as(last::log).isZero();
                      assertThat(broker.effects()).as(last::log).isEqualTo(broker.messages());
                    }));
  }
}
