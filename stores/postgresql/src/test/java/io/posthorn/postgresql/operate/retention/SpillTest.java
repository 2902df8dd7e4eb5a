package io.posthorn.postgresql.operate.retention;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.core.relay.RetryPolicy;
import io.posthorn.postgresql.Jdbc;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.TestServer;
import io.posthorn.testkit.FakeConnector;
import io.posthorn.testkit.Oracle;
import io.posthorn.testservers.JavaProcess;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Nothing is lost or overtaken when a destination is spilled, whatever happens meanwhile. */
class SpillTest {
  private static final List<String> KEYS = IntStream.range(0, 20).mapToObj(i -> "k" + i).toList();
  private static final Actor WHY = new Actor("anna", "a test");
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final PostgresqlDatabase database = TestServer.newest().databaseOfItsOwn();
  private final Oracle oracle = Oracle.in(database.dataSource()).keys(KEYS);
  private final PostgresqlStore store = PostgresqlStore.on(database.dataSource());
  private final Outbox outbox = Outbox.on(store, Oracle.TYPES).build();
  private final FakeConnector shop = FakeConnector.acking();

  @AfterEach
  void discard() {
    database.discard();
  }

  private Relay relay() {
    return Relay.on(PostgresqlStore.on(database.dataSource()), "tests", "test")
        .config(
            RelayConfig.builder()
                .batchSize(50)
                .lease(Duration.ofSeconds(20))
                .poll(Duration.ofMillis(2), Duration.ofMillis(20))
                .build())
        .destination(
            Destination.named("shop", shop)
                .allTypes()
                .sendTimeout(Duration.ofSeconds(2))
                .retry(
                    RetryPolicy.DEFAULT
                        .backoff(Duration.ofMillis(5), Duration.ofMillis(20))
                        .attempts(1_000_000))
                .build())
        .build()
        .start();
  }

  private void produce(int transactions) throws SQLException {
    try (Connection connection = database.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      for (int i = 0; i < transactions; i++) {
        List<String> keys = new ArrayList<>(KEYS);
        oracle.produce(connection, outbox, keys.subList(i % 10, i % 10 + 10));
        connection.commit();
      }
    }
  }

  private long parked() {
    return Jdbc.number(database.dataSource(), "SELECT count(*) FROM posthorn_parked");
  }

  private void assertAllArrive() {
    Awaitility.await()
        .atMost(PATIENCE)
        .until(
            () ->
                shop.received().stream().map(m -> m.id()).distinct().count() == oracle.committed());
    shop.received().forEach(oracle::observe);
    oracle.assertClean();
  }

  @Test
  void a_relay_that_delivers_meanwhile_keeps_the_order_of_every_key() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    shop.outcome(
        m ->
            calls.incrementAndGet() % 37 == 0
                ? Outcome.failed(Reason.of("HTTP_500", "later"))
                : Outcome.SENT);
    try (Relay relay = relay()) {
      for (int round = 0; round < 8; round++) {
        produce(20);
        store.spill("shop", WHY);
        relay.wake();
      }
      assertAllArrive();
    }
  }

  @Test
  void a_spill_that_is_killed_leaves_every_message_in_one_place_and_can_go_on() throws Exception {
    relay().close();
    produce(1_200);
    String url = TestServer.newest().postgres().jdbcUrl(database.name());
    Random random = new Random(3);
    for (int kill = 0; kill < 4; kill++) {
      long before = parked();
      try (JavaProcess process = JavaProcess.of(SpillMain.class).args(url).start()) {
        Awaitility.await().atMost(PATIENCE).until(() -> parked() > before || !process.isRunning());
        LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random.nextInt(30_000)));
        process.kill();
      }
    }
    assertThat(parked()).isBetween(500L, 12_000L);
    try (Relay relay = relay()) {
      relay.wake();
      assertAllArrive();
    }
  }
}
