package io.posthorn.postgresql.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.operate.archive.Archive;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.operation.Operations;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.core.operate.operation.SentQuery;
import io.posthorn.core.operate.restore.Adopt;
import io.posthorn.core.operate.restore.Restore;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.core.operate.steering.Steering;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.postgresql.OldMessages;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.TestServer;
import io.posthorn.testservers.Waiting;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Retention, registration, removal, rewind, re-send, adopt and fence exclude each other by one row.
 * Here another transaction holds its lock, as the other side takes it: steps of operations share it
 * with each other, all others lock it exclusively.
 */
class ExclusionTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Actor ANNA = new Actor("anna", "test");
  private static final String SHARED = "FOR SHARE";
  private static final String ALONE = "FOR UPDATE";

  private static final String LOG = "SELECT seq FROM posthorn_log";
  private static final String PARKED = "SELECT message_id FROM posthorn_parked";
  private static final String NAMES = "SELECT environment FROM posthorn_meta";
  private static final String ROUTES = "SELECT destination, type FROM posthorn_route";

  /** The common beginning of the names of all statements that lock the row. */
  private static final String EXCLUDE = "/* posthorn: exclude";

  // The statements that wait for this process.
  private static final String WAITING =
      "SELECT query FROM pg_stat_activity WHERE %d = ANY (pg_blocking_pids(pid))";

  private final PostgresqlDatabase database = TestServer.newest().database();
  private final PostgresqlStore store = PostgresqlStore.on(database.dataSource());

  @BeforeEach
  void add() {
    OldMessages.add(database, 10);
    database.execute("UPDATE posthorn_relay SET expires_at = clock_timestamp()");
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void retention_waits_for_the_others() throws Exception {
    waits(SHARED, LOG, () -> store.purge(RetentionTimes.DEFAULT, Archive.NONE, step -> true));
  }

  @Test
  void a_new_destination_waits_for_the_others() throws Exception {
    waits(SHARED, ROUTES, () -> register("office", "Tested"));
  }

  @Test
  void a_new_route_of_a_known_destination_waits_for_the_others() throws Exception {
    waits(SHARED, ROUTES, () -> register("shop", "Another"));
  }

  @Test
  void removal_waits_for_the_others() throws Exception {
    waits(SHARED, ROUTES, () -> Steering.on(store).remove("shop", ANNA));
  }

  @Test
  void a_narrower_route_waits_for_the_others() throws Exception {
    Set<String> all = Set.of(ServedDestination.ALL_TYPES);
    waits(SHARED, ROUTES, () -> Steering.on(store).narrow("shop", all, null, ANNA));
  }

  private void register(String destination, String type) {
    store.register("tests", List.of(new ServedDestination(destination, Set.of(type))));
  }

  @Test
  void a_step_of_a_resend_lets_the_others_go_first() throws Exception {
    Operations.on(store).start(Plan.resend(SentQuery.to("shop")), ANNA);
    letsGoFirst(store::runOperations);
  }

  @Test
  void a_step_of_a_rewind_lets_the_others_go_first() throws Exception {
    Operations.on(store).start(Plan.rewind("shop", Instant.EPOCH), ANNA);
    letsGoFirst(store::runOperations);
  }

  /**
   * Asserts that the step neither waits nor does anything while the row is locked; the next step
   * does.
   */
  private void letsGoFirst(Runnable step) throws SQLException {
    try (Connection other = locked(ALONE)) {
      step.run();
      assertThat(rows(PARKED)).isEmpty();
      other.rollback();
    }
    step.run();
    assertThat(rows(PARKED)).hasSize(10);
  }

  @Test
  void operations_do_not_wait_for_each_other() throws Exception {
    Operations.on(store).start(Plan.resend(SentQuery.to("shop")), ANNA);
    try (Connection other = locked(SHARED)) {
      store.runOperations();
      other.rollback();
    }
    assertThat(database.parked("shop")).hasSize(10);
  }

  @Test
  void adopt_waits_for_the_others() throws Exception {
    waits(SHARED, LOG, () -> Restore.on(store).adopt("test", Adopt.SEND_UNDELIVERED, ANNA));
  }

  @Test
  void adopt_of_the_same_history_waits_for_the_others() throws Exception {
    waits(SHARED, NAMES, () -> Restore.on(store).adopt("test", Adopt.SAME_HISTORY, ANNA));
  }

  @Test
  void fence_waits_for_the_others() throws Exception {
    waits(SHARED, NAMES, () -> Restore.on(store).fence(ANNA));
  }

  /** Asserts that the work waits for the row and changes nothing until the row is free. */
  private void waits(String lock, String changed, Runnable action) throws Exception {
    List<String> before = rows(changed);
    CompletableFuture<Void> acting;
    try (Connection other = locked(lock)) {
      String waiting = WAITING.formatted(pid(other));
      acting = CompletableFuture.runAsync(action);
      Waiting.until("it to wait", PATIENCE, () -> acting.isDone() || !rows(waiting).isEmpty());
      // It waits here, before it has read anything, and not later at a change of that row.
      assertThat(rows(waiting)).singleElement().asString().contains(EXCLUDE, "posthorn_meta");
      assertThat(rows(changed)).isEqualTo(before);
      other.commit();
    }
    acting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(rows(changed)).isNotEqualTo(before);
  }

  private Connection locked(String lock) throws SQLException {
    Connection connection = database.dataSource().getConnection();
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute("SELECT 1 FROM posthorn_meta " + lock);
    }
    return connection;
  }

  private static int pid(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT pg_backend_pid()")) {
      rows.next();
      return rows.getInt(1);
    }
  }

  private List<String> rows(String sql) {
    return database.query("SELECT r::text FROM (" + sql + ") r", row -> row.getString(1));
  }
}
