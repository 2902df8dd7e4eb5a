package io.posthorn.postgresql.operate.retention;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.operate.archive.Archive;
import io.posthorn.core.operate.retention.PurgeReport;
import io.posthorn.core.operate.retention.RetentionStatus;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.postgresql.OldMessages;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.TestServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Retention waits for others and names them; no writer waits for retention. */
class RetentionLocksTest {
  private static final String ADD =
      "INSERT INTO posthorn_log (id, type, payload) VALUES (gen_random_uuid(), 'Tested', '')";

  private final PostgresqlDatabase database = TestServer.newest().databaseOfItsOwn();
  private final PostgresqlStore store = PostgresqlStore.on(database.dataSource());

  @BeforeEach
  void add() {
    OldMessages.add(database, 1_000);
  }

  @AfterEach
  void close() {
    database.discard();
  }

  private PurgeReport purge() {
    return store.purge(RetentionTimes.DEFAULT, Archive.NONE, step -> true);
  }

  private Connection open(String application, String statement) throws SQLException {
    Connection connection = database.dataSource().getConnection();
    connection.setAutoCommit(false);
    try (Statement sql = connection.createStatement()) {
      sql.execute("SET LOCAL application_name = '" + application + "'");
      sql.execute(statement);
    }
    return connection;
  }

  @Test
  void beside_a_dump_the_leaf_stays_and_the_report_and_the_status_name_the_dump()
      throws SQLException {
    try (Connection dump = open("pg_dump", "LOCK TABLE posthorn_log IN ACCESS SHARE MODE")) {
      PurgeReport report = purge();
      assertThat(report.emptied()).noneMatch(leaf -> leaf.startsWith("posthorn_log"));
      assertThat(report.waiting())
          .anySatisfy(line -> assertThat(line).contains("application \"pg_dump\"", "process "));
      RetentionStatus status = store.retentionStatus(RetentionTimes.DEFAULT);
      assertThat(status.leaves().get(0).waitsFor().toString()).contains("pg_dump");
      assertThat(status.leaves().get(0).rows()).isEqualTo(1_000);
      assertThat(status.leaves().get(0).bytes()).isPositive();
      dump.rollback();
    }
    assertThat(purge().emptied()).anyMatch(leaf -> leaf.startsWith("posthorn_log"));
    assertThat(store.retentionStatus(RetentionTimes.DEFAULT).leaves()).isEmpty();
  }

  @Test
  void writers_do_not_wait_while_retention_waits_for_a_dump() throws Exception {
    try (Connection dump = open("pg_dump", "LOCK TABLE posthorn_log IN ACCESS SHARE MODE");
        Connection writer = database.dataSource().getConnection();
        Statement insert = writer.createStatement()) {
      // Fails at once if it had to wait for any lock.
      insert.execute("SET lock_timeout = '1ms'");
      AtomicBoolean over = new AtomicBoolean();
      AtomicInteger rounds = new AtomicInteger();
      Thread retention =
          new Thread(
              () -> {
                while (!over.get()) {
                  purge();
                  rounds.incrementAndGet();
                }
              });
      retention.start();
      int added = 0;
      while (rounds.get() < 5) {
        insert.execute(ADD);
        added++;
      }
      over.set(true);
      retention.join();
      insert.execute("RESET lock_timeout");
      dump.rollback();
      assertThat(database.logged()).hasSize(1_000 + added);
      assertThat(added).isGreaterThan(10);
    }
  }

  @Test
  void writers_do_not_wait_while_leaves_are_emptied() throws Exception {
    try (Connection writer = database.dataSource().getConnection();
        Statement insert = writer.createStatement()) {
      insert.execute("SET lock_timeout = '1ms'");
      AtomicBoolean over = new AtomicBoolean();
      Thread retention =
          new Thread(
              () -> {
                purge();
                over.set(true);
              });
      retention.start();
      int added = 0;
      while (!over.get()) {
        insert.execute(ADD);
        added++;
      }
      retention.join();
      insert.execute("RESET lock_timeout");
      assertThat(database.logged()).hasSize(added);
    }
  }
}
