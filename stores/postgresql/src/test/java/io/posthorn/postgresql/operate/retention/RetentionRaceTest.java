package io.posthorn.postgresql.operate.retention;

import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.operate.archive.Archive;
import io.posthorn.core.operate.retention.PurgeReport;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.postgresql.OldMessages;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.postgresql.TestServer;
import io.posthorn.testkit.Around;
import io.posthorn.testkit.TestLane;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A transaction that has written to an old leaf commits at the worst moment: between the check
 * whether the leaf may be emptied and the exclusive lock.
 */
class RetentionRaceTest {
  private final PostgresqlDatabase database = TestServer.newest().databaseOfItsOwn();
  private final AtomicInteger commits = new AtomicInteger();

  @AfterEach
  void close() {
    database.discard();
  }

  /**
   * Before the SHARE lock, the commit may be too late for the first check and in time for the
   * second. Before the exclusive lock, the SHARE lock must already have stopped retention.
   */
  @ParameterizedTest
  @ValueSource(strings = {"IN SHARE MODE", "IN ACCESS EXCLUSIVE MODE"})
  void a_message_that_is_committed_while_retention_looks_is_not_removed(String lock)
      throws SQLException {
    OldMessages.add(database, 5);
    try (Connection open = database.dataSource().getConnection()) {
      open.setAutoCommit(false);
      database.addOnTheDayOf(open, database.logged().get(0), message("late"));
      PurgeReport report = purge(committing(open, lock));
      // If the open transaction kept retention from the lock, it is not committed yet.
      open.commit();
      assertThat(report.emptied()).noneMatch(leaf -> leaf.startsWith("posthorn_log"));
      assertThat(report.waiting()).anyMatch(line -> line.startsWith("posthorn_log"));
    }
    assertThat(commits).hasValue(lock.equals("IN SHARE MODE") ? 1 : 0);
    assertThat(database.logged()).hasSize(6);
    TestLane shop = new TestLanes(database).take("shop");
    assertThat(shop.drain()).containsExactly("late");
  }

  private static PurgeReport purge(DataSource dataSource) {
    return PostgresqlStore.on(dataSource).purge(RetentionTimes.DEFAULT, Archive.NONE, step -> true);
  }

  /** Commits the open transaction right before a leaf of the log is locked in this mode. */
  private DataSource committing(Connection open, String lock) {
    return Around.calls(
        DataSource.class,
        database.dataSource(),
        (name, call) ->
            name.equals("getConnection")
                ? connection((Connection) call.proceed(), open, lock)
                : call.proceed());
  }

  private Connection connection(Connection real, Connection open, String lock) {
    return Around.calls(
        Connection.class,
        real,
        (name, call) ->
            name.equals("createStatement")
                ? statement((Statement) call.proceed(), open, lock)
                : call.proceed());
  }

  private Statement statement(Statement real, Connection open, String lock) {
    return Around.calls(
        Statement.class,
        real,
        (name, call) -> {
          if (name.equals("execute")
              && call.argument(0)
                  .toString()
                  .matches("LOCK TABLE ONLY \\S*posthorn_log_.. " + lock)) {
            open.commit();
            commits.incrementAndGet();
          }
          return call.proceed();
        });
  }
}
