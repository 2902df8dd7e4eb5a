package io.posthorn.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.postgresql.operate.retention.Retention;
import io.posthorn.postgresql.sql.TableNames;
import io.posthorn.testkit.FakeConnector;
import io.posthorn.testkit.Oracle;
import io.posthorn.testservers.Waiting;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The tables are migrated while applications write and a relay delivers. */
class MigrateUnderLoadTest {
  private static final List<String> KEYS = List.of("a", "b", "c", "d");
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** A change that a later version may make to the table that all writers use. */
  private static final String NEXT =
      """
      SET LOCAL lock_timeout = '200ms';
      ALTER TABLE posthorn_log ADD COLUMN next_version text;
      INSERT INTO posthorn_migration (version, name) VALUES (2, 'next');
      """;

  private static final String LOCK_NOT_AVAILABLE = "55P03";

  private final PostgresqlDatabase database = TestServer.newest().databaseOfItsOwn();
  private final Oracle oracle = Oracle.in(database.dataSource()).keys(KEYS);
  private final AtomicBoolean done = new AtomicBoolean();

  @AfterEach
  void discard() {
    done.set(true);
    database.discard();
  }

  /** A writer that fails if the table is blocked for two seconds. */
  private void write() {
    Outbox outbox = Outbox.on(database.store(), Oracle.TYPES).build();
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("SET lock_timeout = '2s'");
      connection.setAutoCommit(false);
      while (!done.get()) {
        oracle.produce(connection, outbox, KEYS);
        connection.commit();
        LockSupport.parkNanos(1_000_000);
      }
      connection.setAutoCommit(true);
      statement.execute("RESET lock_timeout");
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  private Migrations next() {
    List<Migrations.Migration> all = new ArrayList<>(new Migrations(Tables.DEFAULT).all());
    all.add(new Migrations.Migration(2, "next", TableNames.DEFAULT.in(NEXT)));
    return new Migrations(Tables.DEFAULT, all);
  }

  @Test
  void migrating_again_changes_nothing_and_a_new_version_comes_between_writers_and_readers()
      throws Exception {
    FakeConnector shop = FakeConnector.acking();
    shop.outcome(
        message -> {
          oracle.observe(message);
          return Outcome.SENT;
        });
    try (Relay relay = relay(shop);
        Connection report = database.dataSource().getConnection();
        Statement read = report.createStatement()) {
      List<CompletableFuture<Void>> writers =
          List.of(background(this::write), background(this::write));
      awaitMore();
      List<CompletableFuture<Void>> again = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        again.add(background(() -> assertThat(migrateOften()).isZero()));
      }
      again.forEach(CompletableFuture::join);
      awaitMore();

      report.setAutoCommit(false);
      read.execute("SELECT count(*) FROM posthorn_log");
      // Behind a long reader the migration gives up, so that no writer waits behind it.
      for (int i = 0; i < 3; i++) {
        Refused.with(ErrorCode.STORE_FAILED, () -> next().migrate(database.dataSource()))
            .hasMessageContaining(LOCK_NOT_AVAILABLE);
        awaitMore();
      }
      report.rollback();
      List<CompletableFuture<Integer>> both = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        both.add(
            CompletableFuture.supplyAsync(this::untilMigrated, task -> new Thread(task).start()));
      }
      assertThat(both.get(0).join() + both.get(1).join()).isEqualTo(1);
      // Running programs continue; those that restart must be the new version.
      awaitMore();
      Refused.with(ErrorCode.TABLES_OF_ANOTHER_VERSION, () -> relay(shop).close());
      assertThat(new Migrations(Tables.DEFAULT).migrate(database.dataSource())).isEmpty();
      done.set(true);
      writers.forEach(CompletableFuture::join);
      Waiting.until("the rest to arrive", PATIENCE, () -> oracle.distinct() >= oracle.committed());
    }
    oracle.assertClean();
  }

  private int migrateOften() {
    int applied = 0;
    for (int i = 0; i < 50; i++) {
      applied += new Migrations(Tables.DEFAULT).migrate(database.dataSource()).size();
    }
    return applied;
  }

  /** Retries, as a deployment that is restarted does. */
  private int untilMigrated() {
    for (int tries = 1; ; tries++) {
      try {
        return next().migrate(database.dataSource()).size();
      } catch (PosthornException e) {
        if (!Retention.lockNotAvailable(e) || tries == 20) {
          throw e;
        }
      }
    }
  }

  private static CompletableFuture<Void> background(Runnable work) {
    return CompletableFuture.runAsync(work, task -> new Thread(task).start());
  }

  private void awaitMore() {
    long before = oracle.distinct();
    Waiting.until("deliveries", PATIENCE, () -> oracle.distinct() > before + 50);
  }

  private Relay relay(FakeConnector shop) {
    return Relay.on(database.store(), "tests", "test")
        .config(RelayConfig.builder().poll(Duration.ofMillis(2), Duration.ofMillis(50)).build())
        .destination(Destination.named("shop", shop).allTypes().build())
        .build()
        .start();
  }
}
