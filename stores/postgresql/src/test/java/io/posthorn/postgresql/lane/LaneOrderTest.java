package io.posthorn.postgresql.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.deadletter.Requeue;
import io.posthorn.core.operate.steering.Scope;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.TestServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Everything that locks lanes of several destinations uses one order, so that no two wait for each
 * other in a circle. While a transaction waits for a lane, it holds the lanes before it and none
 * behind it.
 */
class LaneOrderTest {
  private static final Actor ANNA = new Actor("anna", "a test");

  /** In the order of their lanes; a language would sort them differently. */
  private static final List<String> DESTINATIONS = List.of("unrouted", "Mail", "Zoo", "alpha");

  private final PostgresqlDatabase database = TestServer.newest().databaseThatSortsAs("en");
  private final PostgresqlStore store = PostgresqlStore.on(database.dataSource());

  /** The actions that lock the lanes of all destinations. */
  private enum Work {
    REQUEUE,
    DISCARD,
    RESUME_ALL,
    FENCE,
    REGISTER
  }

  private void run(Work work, List<UUID> letters) {
    switch (work) {
      case REQUEUE -> store.requeue(letters, Requeue.SAME, ANNA);
      case DISCARD -> store.discard(letters, ANNA);
      case RESUME_ALL -> store.resume(Scope.EVERYTHING, ANNA);
      case FENCE -> store.fence(ANNA);
      case REGISTER ->
          store.register(
              "another",
              Stream.of("alpha", "Zoo", "Mail")
                  .map(name -> new ServedDestination(name, Set.of("Tested")))
                  .toList());
    }
  }

  @BeforeEach
  void register() {
    store.register(
        "shop",
        Stream.of("alpha", "Zoo", "Mail")
            .map(name -> new ServedDestination(name, Set.of(ServedDestination.ALL_TYPES)))
            .toList());
    store.pause(Scope.EVERYTHING, ANNA);
  }

  @AfterEach
  void close() {
    database.discard();
  }

  private List<UUID> letters() {
    List<UUID> ids = new ArrayList<>();
    for (String destination : DESTINATIONS) {
      ids.addAll(
          database.query(
              """
              INSERT INTO posthorn_dead
                     (destination, message_id, type, schema_version, payload, content_type, headers, occurred_at,
                      recorded_at, seq, position, reason, last_reason, error, fingerprint, attempts, first_failed_at,
                      last_failed_at)
              VALUES ('%s', gen_random_uuid(), 'Tested', 1, '', 'x/y', '{}', now(), now(), 1, 1, 'R', 'R', 'e', 'f', 1,
                      now(), now())
              RETURNING id
              """
                  .formatted(destination),
              row -> row.getObject(1, UUID.class)));
    }
    return ids;
  }

  private static List<String> lock(Connection connection, String where) throws SQLException {
    List<String> locked = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT destination FROM posthorn_lane " + where)) {
      while (rows.next()) {
        locked.add(rows.getString(1));
      }
    }
    return locked;
  }

  private boolean somebodyWaits() {
    return !database
        .query(
            """
            SELECT 1
              FROM pg_stat_activity
             WHERE datname = current_database()
               AND wait_event_type = 'Lock'
            """,
            row -> 1)
        .isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void a_transaction_that_waits_for_a_lane_holds_the_lanes_before_it_and_none_after(Work work)
      throws Exception {
    List<UUID> letters = letters();
    for (int held = 1; held < DESTINATIONS.size(); held++) {
      CompletableFuture<Void> running;
      try (Connection holder = database.dataSource().getConnection();
          Connection other = database.dataSource().getConnection()) {
        holder.setAutoCommit(false);
        other.setAutoCommit(false);
        lock(holder, "WHERE destination = '%s' FOR UPDATE".formatted(DESTINATIONS.get(held)));
        running = CompletableFuture.runAsync(() -> run(work, letters));
        await().until(this::somebodyWaits);
        assertThat(lock(other, "FOR NO KEY UPDATE SKIP LOCKED"))
            .containsExactlyInAnyOrderElementsOf(
                DESTINATIONS.subList(held + 1, DESTINATIONS.size()));
        other.rollback();
        // The work must not complete, because the next round would have nothing to do.
        database.execute(
            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE datname = "
                + "current_database() AND wait_event_type = 'Lock'");
        holder.rollback();
      }
      try {
        running.get();
      } catch (ExecutionException cancelled) {
        assertThat(cancelled).hasStackTraceContaining("cancel");
      }
    }
  }

  @Test
  void opposing_rescues_at_the_same_time_never_wait_in_a_circle() {
    for (int round = 0; round < 30; round++) {
      List<UUID> letters = letters();
      List<UUID> reversed = new ArrayList<>(letters);
      Collections.reverse(reversed);
      CompletableFuture<?> one =
          CompletableFuture.runAsync(() -> store.requeue(letters, Requeue.SAME, ANNA));
      CompletableFuture<?> two = CompletableFuture.runAsync(() -> store.discard(reversed, ANNA));
      CompletableFuture<?> three =
          CompletableFuture.runAsync(() -> store.resume(Scope.EVERYTHING, ANNA));
      CompletableFuture.allOf(one, two, three).join();
      store.pause(Scope.EVERYTHING, ANNA);
    }
    assertThat(
            database.query(
                "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()",
                row -> row.getLong(1)))
        .containsExactly(0L);
  }
}
