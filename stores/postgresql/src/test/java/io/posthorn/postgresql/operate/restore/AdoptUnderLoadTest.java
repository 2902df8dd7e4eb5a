package io.posthorn.postgresql.operate.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.restore.Adopt;
import io.posthorn.core.operate.restore.Restore;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.core.relay.RetryPolicy;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.TestServer;
import io.posthorn.testkit.FakeConnector;
import io.posthorn.testkit.Oracle;
import io.posthorn.testservers.Waiting;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Writers continue while the database is adopted again and again, and some deliveries fail. */
class AdoptUnderLoadTest {
  private static final List<String> KEYS = List.of("a", "b", "c", "d", "e", "f");
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final RetryPolicy QUICK =
      RetryPolicy.DEFAULT.backoff(Duration.ofMillis(20), Duration.ofMillis(50)).attempts(1_000);

  private final PostgresqlDatabase database = TestServer.newest().databaseOfItsOwn();
  private final Oracle oracle = Oracle.in(database.dataSource()).keys(KEYS);
  private final AtomicBoolean done = new AtomicBoolean();

  @AfterEach
  void discard() {
    database.discard();
  }

  private void write(int seed) {
    Random random = new Random(seed);
    Outbox outbox = Outbox.on(database.store(), Oracle.TYPES).build();
    try (Connection connection = database.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      while (!done.get()) {
        List<String> keys = new ArrayList<>();
        for (int i = random.nextInt(4); i >= 0; i--) {
          keys.add(KEYS.get(random.nextInt(KEYS.size())));
        }
        oracle.produce(connection, outbox, keys);
        if (random.nextInt(10) == 0) {
          connection.rollback();
        } else {
          connection.commit();
        }
        // About the rate that a relay with failures can sustain.
        LockSupport.parkNanos(2_000_000);
      }
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  private Outcome deliver(Message message, Random random) {
    synchronized (random) {
      if (random.nextInt(20) == 0) {
        return Outcome.failed(Reason.of("BY_CHANCE", "try again"));
      }
    }
    oracle.observe(message);
    return Outcome.SENT;
  }

  @Test
  void nothing_is_lost_doubled_or_reordered() throws Exception {
    Random chance = new Random(7);
    FakeConnector connector = FakeConnector.acking().outcome(message -> deliver(message, chance));
    List<CompletableFuture<Void>> writers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      int seed = i;
      writers.add(CompletableFuture.runAsync(() -> write(seed)));
    }
    for (int round = 0; round < 4; round++) {
      long before = oracle.distinct();
      try (Relay relay = relay(connector)) {
        Waiting.until("deliveries", PATIENCE, () -> oracle.distinct() > before + 100);
      }
      Restore.on(database.operator())
          .adopt("production", Adopt.SEND_UNDELIVERED, new Actor("tests", "again"));
    }
    done.set(true);
    for (CompletableFuture<Void> writer : writers) {
      writer.get();
    }
    try (Relay relay = relay(connector)) {
      Waiting.until("the rest to arrive", PATIENCE, () -> oracle.distinct() >= oracle.committed());
    }
    oracle.assertClean();
    assertThat(oracle.observed()).isEqualTo(oracle.committed());
  }

  private Relay relay(FakeConnector connector) {
    return Relay.on(database.store(), "tests", "production")
        .config(RelayConfig.builder().poll(Duration.ofMillis(2), Duration.ofMillis(50)).build())
        .destination(Destination.named("shop", connector).allTypes().retry(QUICK).build())
        .build()
        .start();
  }
}
