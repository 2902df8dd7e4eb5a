package io.posthorn.postgresql.lane;

import static io.posthorn.testkit.TestMessages.keyed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.error.PosthornException;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.core.operate.operation.SentQuery;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.core.store.Start;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.postgresql.TestServer;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Whether a message is sent, unsent or unread is asked of the lane that has its bucket. Here the
 * upper lane has settled everything, and the lower one nothing.
 */
class LaneCursorsTest {
  private static final Actor ANNA = new Actor("anna", "a test");
  private static final String SHOP = "shop";
  private static final int KEYS = 40;

  private final PostgresqlDatabase database = TestServer.newest().databaseOfItsOwn();
  private final PostgresqlStore store = PostgresqlStore.on(database.dataSource());
  private final TestLanes lanes = new TestLanes(database);

  @BeforeEach
  void divide() {
    register("*");
    // The gate has the upper half, so that a statement that asks lane 0 about everything is wrong.
    database.execute(
        """
        UPDATE posthorn_lane SET first_bucket = 128 WHERE destination = 'shop';
        INSERT INTO posthorn_lane (destination, lane, last_bucket) VALUES ('shop', 1, 127);
        INSERT INTO posthorn_progress (destination, lane, id, s1, low1, last_seq)
        SELECT destination, 1, gen_random_uuid(), s1, low1, last_seq
          FROM posthorn_progress
         WHERE destination = 'shop'
        """);
    for (int key = 0; key < KEYS; key++) {
      lanes.add(keyed("k" + key, "1"), keyed("k" + key, "2"));
    }
    settleAll(0);
  }

  @AfterEach
  void discard() {
    database.discard();
  }

  private void register(String type) {
    store.register("shop", List.of(new ServedDestination(SHOP, Set.of(type), Start.NOW)));
  }

  private void settleAll(int lane) {
    database.execute(
        """
        INSERT INTO posthorn_progress (destination, lane, id, s1, low1, last_seq)
        SELECT 'shop', %d, gen_random_uuid(), pg_current_snapshot(), last_value, 0
          FROM posthorn_seq
        """
            .formatted(lane));
  }

  private static String inBuckets(int first, int last) {
    return "posthorn_bucket(aggregate_type, key, id) BETWEEN " + first + " AND " + last;
  }

  private List<UUID> messages(int first, int last) {
    return database.query(
        "SELECT id FROM posthorn_log WHERE " + inBuckets(first, last),
        row -> row.getObject(1, UUID.class));
  }

  private List<String> states(List<UUID> ids) {
    return database.query(
        "SELECT DISTINCT state FROM posthorn_message_state WHERE destination = 'shop' AND id = ANY ('{%s}')"
            .formatted(String.join(",", ids.stream().map(UUID::toString).toList())),
        row -> row.getString(1));
  }

  @Test
  void both_halves_have_messages() {
    assertThat(messages(0, 127)).hasSizeGreaterThan(10);
    assertThat(messages(128, 255)).hasSizeGreaterThan(10);
  }

  @Test
  void a_message_is_sent_if_its_own_lane_has_settled_it() {
    assertThat(states(messages(128, 255))).containsExactly("SENT");
    assertThat(states(messages(0, 127))).containsExactly("PENDING");
  }

  @Test
  void the_backlog_is_what_each_lane_has_not_settled() {
    int unsent = messages(0, 127).size();
    assertThat(
            database.query(
                "SELECT pending FROM posthorn_backlog WHERE destination = 'shop'",
                row -> row.getInt(1)))
        .containsExactly(unsent);
    settleAll(1);
    assertThat(
            database.query(
                "SELECT pending FROM posthorn_backlog WHERE destination = 'shop'",
                row -> row.getInt(1)))
        .containsExactly(0);
  }

  @Test
  void the_backlog_has_messages_of_transactions_that_were_open_when_one_lane_passed_them()
      throws Exception {
    int unsent = messages(0, 127).size();
    try (Connection open = database.dataSource().getConnection();
        Statement statement = open.createStatement()) {
      open.setAutoCommit(false);
      // One message in each half.
      for (String where : List.of(inBuckets(0, 127), inBuckets(128, 255))) {
        statement.execute(
            database
                .names()
                .in(
                    """
                    INSERT INTO posthorn_log (id, type, aggregate_type, key, payload)
                    SELECT gen_random_uuid(), type, aggregate_type, key, payload
                      FROM posthorn_log
                     WHERE %s
                     LIMIT 1
                    """
                        .formatted(where)));
      }
      lanes.add(keyed("later", "1"));
      settleAll(0);
      open.commit();
      open.setAutoCommit(true);
    }
    int later = states(List.of(newest())).equals(List.of("PENDING")) ? 1 : 0;
    assertThat(
            database.query(
                "SELECT pending FROM posthorn_backlog WHERE destination = 'shop'",
                row -> row.getInt(1)))
        .containsExactly(unsent + 2 + later);
    settleAll(1);
    assertThat(
            database.query(
                "SELECT pending FROM posthorn_backlog WHERE destination = 'shop'",
                row -> row.getInt(1)))
        .containsExactly(1);
  }

  private UUID newest() {
    return database
        .query(
            "SELECT id FROM posthorn_log ORDER BY seq DESC LIMIT 1",
            row -> row.getObject(1, UUID.class))
        .get(0);
  }

  @Test
  void only_what_its_lane_has_settled_is_sent_again() {
    int sent = messages(128, 255).size();
    assertThat(store.preview(Plan.resend(SentQuery.to(SHOP))).count()).isEqualTo(sent);
    store.startOperation(Plan.resend(SentQuery.to(SHOP)), ANNA);
    while (store.runOperations().filter(Duration::isZero).isPresent()) {
      // The next step.
    }
    List<UUID> again =
        database.query(
            "SELECT message_id FROM posthorn_parked", row -> row.getObject(1, UUID.class));
    assertThat(again).containsExactlyInAnyOrderElementsOf(messages(128, 255));
  }

  @Test
  void a_rewind_waits_for_the_open_window_of_every_lane() {
    database.execute(
        """
        INSERT INTO posthorn_progress (destination, lane, id, s1, low1, s2, low2, high2, last_seq)
        SELECT 'shop', 1, gen_random_uuid(), p.s1, p.low1, pg_current_snapshot(), s.last_value, s.last_value, 0
          FROM posthorn_seq s
         CROSS JOIN (SELECT s1, low1 FROM posthorn_progress WHERE destination = 'shop' AND lane = 1) p
        """);
    store.startOperation(Plan.rewind(SHOP, Instant.EPOCH), ANNA);
    store.runOperations();
    assertThat(database.query("SELECT 1 FROM posthorn_parked", row -> 1)).isEmpty();
    settleAll(1);
    store.runOperations();
    assertThat(database.query("SELECT 1 FROM posthorn_parked", row -> 1)).isNotEmpty();
  }

  @Test
  void the_time_of_sending_is_that_of_the_messages_own_lane() {
    database.execute(
        "UPDATE posthorn_progress SET at = at - interval '1 hour' WHERE destination = 'shop' AND lane = 0");
    settleAll(1);
    Instant now = Instant.now();
    assertThat(sentAt(messages(128, 255).get(0))).isBefore(now.minusSeconds(3_000));
    assertThat(sentAt(messages(0, 127).get(0))).isAfter(now.minusSeconds(3_000));
  }

  private Instant sentAt(UUID id) {
    return store.find(id).orElseThrow().deliveries().stream()
        .filter(one -> one.destination().equals(SHOP))
        .map(one -> Objects.requireNonNull(one.sentAt()))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void later_messages_of_a_dead_letter_are_those_that_its_own_lane_has_sent() {
    UUID upper = letter(inBuckets(128, 255));
    UUID lower = letter(inBuckets(0, 127));
    assertThat(store.letter(upper).orElseThrow().youngerOut()).isEqualTo(1);
    assertThat(store.letter(lower).orElseThrow().youngerOut()).isZero();
    assertThat(store.preview(Plan.requeue(DeadLetterQuery.waiting())).overtaken()).isEqualTo(1);
  }

  /** Makes the first message of a key in these buckets a dead letter. */
  private UUID letter(String where) {
    return database
        .query(
            """
            INSERT INTO posthorn_dead
                   (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type, headers,
                    occurred_at, recorded_at, seq, position, reason, last_reason, error, fingerprint, attempts,
                    first_failed_at, last_failed_at)
            SELECT 'shop', id, type, schema_version, aggregate_type, key, payload, content_type, headers,
                   occurred_at, recorded_at, seq, seq, 'R', 'R', 'e', 'f', 1, now(), now()
              FROM posthorn_log
             WHERE %s
             ORDER BY seq
             LIMIT 1
            RETURNING id
            """
                .formatted(where),
            row -> row.getObject(1, UUID.class))
        .get(0);
  }

  @Test
  void a_route_is_not_removed_while_any_lane_needs_it() {
    register("Tested");
    assertThatThrownBy(() -> store.narrow(SHOP, Set.of("*"), null, ANNA))
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining("still wait for it");
    settleAll(1);
    assertThat(store.narrow(SHOP, Set.of("*"), null, ANNA)).isEqualTo(1);
  }

  @Test
  void adopting_counts_each_message_by_its_own_lane() {
    assertThat(
            store.adoption().destinations().stream()
                .filter(share -> share.destination().equals(SHOP))
                .map(share -> share.undelivered()))
        .containsExactly((long) messages(0, 127).size());
  }

  @Test
  void a_relay_that_knows_no_lanes_is_granted_no_part_of_a_destination() {
    database.execute("UPDATE posthorn_lane SET relay = NULL, token = NULL, range_token = NULL");
    assertThatThrownBy(
            () ->
                database.execute(
                    """
                    UPDATE posthorn_lane
                       SET relay = gen_random_uuid(), token = gen_random_uuid(), granted_at = clock_timestamp()
                     WHERE destination = 'shop'
                       AND lane = 0
                    """))
        .hasStackTraceContaining("old_relay_takes_whole_range");
    database.execute(
        "UPDATE posthorn_lane SET relay = gen_random_uuid(), token = gen_random_uuid() WHERE destination = 'unrouted'");
  }

  /**
   * A lane that is added while a transaction waits for the gate is locked as well. Without that,
   * the lane would not know a new route when it passes messages for it.
   */
  @Test
  void a_lane_that_was_added_while_waiting_for_the_gate_is_locked_too() throws Exception {
    CompletableFuture<Void> running;
    try (Connection changer = database.dataSource().getConnection();
        Statement statement = changer.createStatement()) {
      changer.setAutoCommit(false);
      statement.execute(
          "SELECT 1 FROM posthorn_lane WHERE destination = 'shop' AND lane = 0 FOR UPDATE");
      running = CompletableFuture.runAsync(() -> register("Other"));
      await()
          .until(
              () ->
                  !database
                      .query(
                          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
                          row -> 1)
                      .isEmpty());
      statement.execute(
          """
          UPDATE posthorn_lane SET last_bucket = 63 WHERE destination = 'shop' AND lane = 1;
          INSERT INTO posthorn_lane (destination, lane, first_bucket, last_bucket) VALUES ('shop', 2, 64, 127)
          """);
      changer.commit();
      changer.setAutoCommit(true);
    }
    running.get();
    // A lock leaves its transaction in the row.
    assertThat(
            database.query(
                "SELECT xmax::text::bigint > 0 FROM posthorn_lane WHERE destination = 'shop' AND lane = 2",
                row -> row.getBoolean(1)))
        .containsExactly(true);
  }
}
