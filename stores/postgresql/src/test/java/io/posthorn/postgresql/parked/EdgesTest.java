package io.posthorn.postgresql.parked;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.operate.archive.Archive;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.Move;
import io.posthorn.core.store.RelayIdentity;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.core.store.Waiting;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.TestServer;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.testkit.TestLane;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An edge is never above a message that is parked or that is being parked. */
class EdgesTest {
  private PostgresqlDatabase database;
  private PostgresqlStore store;
  private TestLane shop;

  @BeforeEach
  void serve() {
    database = TestServer.newest().database();
    store = PostgresqlStore.on(database.dataSource());
    List<ServedDestination> all =
        List.of(new ServedDestination("shop", Set.of(ServedDestination.ALL_TYPES)));
    store.register("tests", all);
    RelayIdentity relay = new RelayIdentity(UUID.randomUUID(), "relay", "tests");
    store.join(relay, all, Duration.ofMinutes(10));
    Lane lane = store.take(relay, "shop", 0).orElseThrow();
    shop = new TestLane(store, lane);
    shop.state();
  }

  @AfterEach
  void close() {
    database.close();
  }

  /** Parks as a consumer does, which holds no lane. */
  private static String parkingReceived(int messages, String text) {
    return """
        INSERT INTO posthorn_parked
               (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type, headers,
                occurred_at, recorded_at, seq, position, sender, waiting)
        SELECT 'shop', gen_random_uuid(), 'T', 1, 'A', 'k', convert_to('%2$s' || n, 'UTF8'), 'text/plain', '{}',
               clock_timestamp(), clock_timestamp(), m.seq, m.seq, 'there', 'BEHIND'
          FROM (SELECT n, CASE WHEN pg_current_xact_id() IS NOT NULL THEN nextval('posthorn_seq') END AS seq
                  FROM generate_series(1, %1$d) n) m
        """
        .formatted(messages, text);
  }

  private List<String> settleAll() {
    List<String> all = new ArrayList<>();
    for (List<Delivery> due = shop.parked(TestLane.atMost(100));
        !due.isEmpty();
        due = shop.parked(TestLane.atMost(100))) {
      shop.settle(due.stream().map(Move.Sent::new).toArray(Move[]::new));
      all.addAll(TestLane.contents(due));
    }
    return all;
  }

  private void comeAndGo(int rounds) {
    for (int round = 0; round < rounds; round++) {
      database.execute(parkingReceived(100, "x"));
      assertThat(settleAll()).hasSize(100);
    }
  }

  private long edge() {
    return database
        .query(
            "SELECT position FROM posthorn_edge WHERE destination = 'shop' ORDER BY n DESC LIMIT 1",
            row -> row.getLong(1))
        .get(0);
  }

  private long keyEdge() {
    return database
        .query(
            "SELECT position FROM posthorn_key_edge WHERE destination = 'shop' ORDER BY n DESC LIMIT 1",
            row -> row.getLong(1))
        .get(0);
  }

  private long safe() {
    return database
        .query(
            "SELECT max(safe) FROM posthorn_edge WHERE destination = 'shop'", row -> row.getLong(1))
        .get(0);
  }

  private long drawn() {
    return database.query("SELECT last_value FROM posthorn_seq", row -> row.getLong(1)).get(0);
  }

  @Test
  void edges_follow_what_has_gone() {
    comeAndGo(5);
    assertThat(edge()).isBetween(drawn() - 300, drawn());
    assertThat(keyEdge()).isBetween(drawn() - 300, drawn());
  }

  @Test
  void a_message_that_is_being_parked_is_found_and_goes_first_whatever_goes_meanwhile()
      throws SQLException {
    comeAndGo(3);
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute(database.names().in(parkingReceived(1, "slow")));
      long slow = drawn();
      comeAndGo(5);
      assertThat(edge()).isLessThanOrEqualTo(slow);
      assertThat(keyEdge()).isLessThanOrEqualTo(slow);
      database.execute(parkingReceived(2, "after"));
      connection.commit();
    }
    assertThat(settleAll()).containsExactly("slow1", "after1", "after2");
  }

  @Test
  void a_transaction_that_parks_nothing_does_not_stop_the_edges() throws SQLException {
    comeAndGo(1);
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("SELECT pg_current_xact_id()");
      long began = drawn();
      comeAndGo(5);
      assertThat(edge()).isGreaterThan(began + 100);
      statement.execute(database.names().in(parkingReceived(1, "late")));
      comeAndGo(5);
      connection.commit();
    }
    assertThat(settleAll()).containsExactly("late1");
  }

  /** Messages of the key with the positions that they once had. */
  private void parkAgainBelow(long last) {
    database.execute(
        """
        INSERT INTO posthorn_parked
               (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type, headers,
                occurred_at, recorded_at, seq, position, waiting, next_attempt_at)
        SELECT 'shop', gen_random_uuid(), 'T', 1, 'A', 'k', convert_to('again' || n, 'UTF8'), 'text/plain', '{}',
               now(), now() - interval '1 hour', %1$d - 400 + n, %1$d - 400 + n, 'TURN',
               CASE n WHEN 1 THEN now() - interval '1 hour' END
          FROM generate_series(1, 3) n
        """
            .formatted(last));
  }

  @Test
  void edges_are_lowered_to_what_is_parked_below_them() {
    comeAndGo(5);
    long last = drawn();
    parkAgainBelow(last);
    assertThat(edge()).isEqualTo(last - 399);
    assertThat(keyEdge()).isEqualTo(last - 399);
    assertThat(settleAll()).containsExactly("again1", "again2", "again3");
  }

  /**
   * A consumer that wrote in a second that the clock repeats has read the edge before another
   * settle raised it, and has written its own after that.
   */
  @Test
  void edges_are_lowered_also_if_a_row_that_was_copied_from_an_older_one_is_the_newest() {
    comeAndGo(2);
    long old =
        database
            .query(
                "SELECT max(n) FROM posthorn_edge WHERE destination = 'shop'",
                row -> row.getLong(1))
            .get(0);
    comeAndGo(5);
    database.execute(
        """
        INSERT INTO posthorn_edge
               (destination, lane, position, behind, due, oldest, safe, safe_at, low, low_at, low_tx)
        SELECT destination, lane, position, behind, due, oldest, safe, safe_at, low, low_at, low_tx
          FROM posthorn_edge
         WHERE n = %d
        """
            .formatted(old));
    long last = drawn();
    long safe = safe();
    assertThat(keyEdge()).isGreaterThan(last - 399);
    // The purge must not remove what the newest row does not replace.
    database.pass(Duration.ofHours(2));
    store.purge(Duration.ofDays(7));
    assertThat(safe()).isEqualTo(safe);
    database.execute(
        """
        INSERT INTO posthorn_key_edge (destination, aggregate_type, key, position)
        VALUES ('shop', 'A', 'k', %d)
        """
            .formatted(safe + 1));
    parkAgainBelow(last);
    assertThat(keyEdge()).isEqualTo(last - 399);
    assertThat(settleAll()).containsExactly("again1", "again2", "again3");
  }

  @Test
  void a_message_is_found_that_is_scheduled_for_a_time_before_the_edge() {
    comeAndGo(5);
    UUID late = UUID.randomUUID();
    UUID rescheduled = UUID.randomUUID();
    for (UUID id : List.of(late, rescheduled)) {
      database.execute(
          """
          INSERT INTO posthorn_parked
                 (destination, message_id, type, schema_version, payload, content_type, headers,
                  occurred_at, recorded_at, not_before, seq, position, waiting, next_attempt_at)
          SELECT 'shop', '%1$s', 'T', 1, convert_to('%1$s', 'UTF8'), 'text/plain', '{}', now(), now(),
                 m.at, m.seq, m.seq, 'TIME', m.at
            FROM (SELECT nextval('posthorn_seq') AS seq, now() + interval '%2$s' AS at) m
          """
              .formatted(id, id.equals(late) ? "-1 hour" : "1 hour"));
    }
    Actor anna = new Actor("anna", "it is to go now");
    assertThat(store.reschedule("shop", rescheduled, Instant.now().minusSeconds(3600), anna))
        .isTrue();
    assertThat(settleAll()).containsExactlyInAnyOrder("" + late, "" + rescheduled);
  }

  /** As if the clock of the server had been set back after the newest edge was written. */
  private void setClockBack() {
    database.execute(
        """
        UPDATE posthorn_edge
           SET at = at + interval '1 second', due = due + interval '1 second', oldest = oldest + interval '1 second',
               safe_at = safe_at + interval '1 second', low_at = low_at + interval '1 second'
        """);
  }

  /** Before the clock shows the time of the edge again, and after it. */
  private void assertFound(String content) {
    assertThat(TestLane.contents(shop.parked())).containsExactly(content);
    await().pollDelay(Duration.ofMillis(1_500)).until(() -> true);
    assertThat(TestLane.contents(shop.parked())).containsExactly(content);
    assertThat(settleAll()).containsExactly(content);
  }

  @Test
  void a_message_that_is_woken_in_a_second_that_the_clock_repeats_is_found() {
    comeAndGo(5);
    database.execute(parkingReceived(2, "again"));
    List<Delivery> first = shop.parked(TestLane.atMost(1));
    setClockBack();
    shop.settle(new Move.Sent(first.get(0)));
    assertFound("again2");
  }

  @Test
  void a_message_that_is_parked_again_in_a_second_that_the_clock_repeats_is_found() {
    comeAndGo(5);
    database.execute(parkingReceived(1, "again"));
    List<Delivery> first = shop.parked();
    setClockBack();
    shop.settle(
        new Move.Park(
            first.get(0), Waiting.RETRY, 1, Duration.ZERO, Reason.of("HTTP_500", "try later")));
    assertFound("again1");
  }

  @Test
  void a_message_that_is_taken_up_in_a_second_that_the_clock_repeats_is_found() {
    comeAndGo(5);
    setClockBack();
    database.execute(parkingReceived(1, "again"));
    assertFound("again1");
  }

  @Test
  void a_message_that_a_person_retries_in_a_second_that_the_clock_repeats_is_found() {
    comeAndGo(5);
    database.execute(parkingReceived(1, "again"));
    Delivery one = shop.parked().get(0);
    shop.settle(
        new Move.Park(one, Waiting.RETRY, 1, Duration.ofDays(1), Reason.of("HTTP_500", "later")));
    setClockBack();
    assertThat(store.retryNow("shop", null, new Actor("anna", "now"))).isEqualTo(1);
    assertFound("again1");
  }

  private long count(String table) {
    return database
        .query(
            "SELECT count(*) FROM " + table + " WHERE destination = 'shop'", row -> row.getLong(1))
        .get(0);
  }

  @Test
  void edges_that_newer_ones_have_replaced_are_removed_by_a_purge_and_messages_are_still_found() {
    comeAndGo(10);
    assertThat(count("posthorn_edge")).isGreaterThan(2);
    assertThat(count("posthorn_key_edge")).isGreaterThan(2);
    database.execute(parkingReceived(2, "before"));
    database.execute("UPDATE posthorn_edge SET at = at - interval '2 hours'");
    database.execute("UPDATE posthorn_key_edge SET at = at - interval '2 hours'");
    store.purge(RetentionTimes.DEFAULT, Archive.NONE, step -> true);
    // The newest, and the one with the highest safe number.
    assertThat(count("posthorn_edge")).isBetween(1L, 2L);
    assertThat(count("posthorn_key_edge")).isZero();
    database.execute(parkingReceived(2, "after"));
    assertThat(settleAll()).containsExactly("before1", "before2", "after1", "after2");
  }

  @Test
  void a_message_due_before_the_edge_of_times_is_found_by_the_next_purge() {
    comeAndGo(5);
    database.execute(parkingReceived(1, "old"));
    assertThat(shop.parked()).hasSize(1);
    database.execute("UPDATE posthorn_parked SET next_attempt_at = now() - interval '1 hour'");
    assertThat(shop.parked()).isEmpty();
    Edges.makeSure(new Database(database.dataSource(), database.names()));
    assertThat(settleAll()).containsExactly("old1");
  }
}
