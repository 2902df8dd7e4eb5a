package io.posthorn.postgresql.operate.restore;

import static io.posthorn.testkit.TestMessages.keyed;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.operate.restore.Adopt;
import io.posthorn.postgresql.Jdbc;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.Refused;
import io.posthorn.postgresql.TestServer;
import io.posthorn.testservers.Waiting;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Writers write, or the connection breaks, in the middle of adopting. */
class AdoptInterruptedTest {
  private static final String WHAT_COUNTS =
      """
      SELECT concat_ws(' | ',
               (SELECT string_agg(m::text, ',') FROM posthorn_meta m),
               (SELECT string_agg(l.id::text, ',' ORDER BY l.seq) FROM posthorn_log l),
               (SELECT string_agg(p::text, ',' ORDER BY p.n) FROM posthorn_progress p),
               (SELECT string_agg(r::text, ',') FROM posthorn_route r),
               (SELECT string_agg(n::text, ',' ORDER BY n.destination) FROM posthorn_lane n),
               (SELECT count(*) FROM posthorn_parked),
               (SELECT count(*) FROM posthorn_audit))
      """;

  private final PostgresqlDatabase database = TestServer.newest().database();
  private final RestoredSite site = new RestoredSite(database.dataSource(), "production");

  @BeforeEach
  void somethingIsUndelivered() {
    site.lanes().store().verify("elsewhere");
    site.lanes().take("shop");
    site.add(keyed("k", "k:1"), keyed("k", "k:2"));
  }

  @AfterEach
  void close() {
    site.close();
    database.close();
  }

  private String whatCounts() {
    return database.query(WHAT_COUNTS, row -> row.getString(1)).get(0);
  }

  /** Holds the lock of the audit, which adopting takes last. */
  private Connection justBeforeTheEnd() throws SQLException {
    Connection connection = database.dataSource().getConnection();
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute("SELECT pg_advisory_xact_lock(1349350516, 1)");
    }
    return connection;
  }

  private void awaitWaiting(int statements) {
    Waiting.until(
        statements + " waiting",
        Duration.ofSeconds(10),
        () -> database.waitingForLocks() == statements);
  }

  private CompletableFuture<Void> adopting() {
    return CompletableFuture.runAsync(() -> site.adopt(Adopt.SEND_UNDELIVERED));
  }

  @Test
  void when_the_connection_is_cut_everything_is_as_before() throws Exception {
    Jdbc.execute(database.dataSource(), "UPDATE posthorn_relay SET expires_at = '-infinity'");
    String before = whatCounts();
    try (Connection held = justBeforeTheEnd()) {
      CompletableFuture<Void> adopting = adopting();
      awaitWaiting(1);
      database.execute(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type "
              + "= 'Lock' AND datname = current_database()");
      assertThat(adopting).failsWithin(Duration.ofSeconds(10));
      held.rollback();
    }
    assertThat(whatCounts()).isEqualTo(before);
    Refused.with(ErrorCode.ENVIRONMENT_DIFFERS, site::start);
    site.adopt(Adopt.SEND_UNDELIVERED);
    site.start();
    site.awaitSent(2);
    assertThat(site.sent("k")).containsExactly("k:1", "k:2");
  }

  @Test
  void what_is_written_meanwhile_waits_and_is_delivered() throws Exception {
    try (Connection held = justBeforeTheEnd();
        Connection writer = database.dataSource().getConnection()) {
      writer.setAutoCommit(false);
      // The writer gets its id before the new cursors start, and its numbers only afterwards.
      try (Statement statement = writer.createStatement()) {
        statement.execute("SELECT pg_current_xact_id()");
      }
      CompletableFuture<Void> adopting = adopting();
      awaitWaiting(1);
      CompletableFuture<Void> writing =
          CompletableFuture.runAsync(
              () ->
                  site.lanes()
                      .store()
                      .append(writer, List.of(keyed("k", "k:3")), List.of(""), false));
      awaitWaiting(2);
      held.rollback();
      adopting.get();
      writing.get();
      site.add(keyed("l", "l:1"));
      site.start();
      writer.commit();
    }
    site.awaitSent(4);
    assertThat(site.sent("k")).containsExactly("k:1", "k:2", "k:3");
  }

  @Test
  void an_open_transaction_with_messages_stops_it_and_nothing_is_lost() throws Exception {
    Jdbc.execute(database.dataSource(), "UPDATE posthorn_relay SET expires_at = '-infinity'");
    try (Connection writer = database.dataSource().getConnection()) {
      writer.setAutoCommit(false);
      site.lanes().store().append(writer, List.of(keyed("k", "k:3")), List.of(""), false);
      String before = whatCounts();
      Refused.with(ErrorCode.STORE_FAILED, () -> site.adopt(Adopt.SEND_UNDELIVERED))
          .hasMessageContaining("lock");
      assertThat(whatCounts()).isEqualTo(before);
      writer.commit();
    }
    site.adopt(Adopt.SEND_UNDELIVERED);
    site.start();
    site.awaitSent(3);
    assertThat(site.sent("k")).containsExactly("k:1", "k:2", "k:3");
  }
}
