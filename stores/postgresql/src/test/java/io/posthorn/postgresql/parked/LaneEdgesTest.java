package io.posthorn.postgresql.parked;

import static io.posthorn.testkit.TestMessages.keyed;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.message.Key;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Move;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.postgresql.TestServer;
import io.posthorn.testkit.TestLane;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each lane has edges of its own, because no lane sees what another is just parking. */
class LaneEdgesTest {
  private final PostgresqlDatabase database = TestServer.newest().database();
  private final TestLanes lanes = new TestLanes(database);
  private final List<TestLane> shop = lanes.takeAll("shop", 2);

  @AfterEach
  void close() {
    database.close();
  }

  /** Returns a key whose messages the lane has. */
  private String keyOf(int lane) {
    return database
        .query(
            """
            SELECT 'k' || i
              FROM generate_series(1, 100) AS i
             WHERE posthorn_bucket('Thing', 'k' || i, NULL) / 128 = %d
             LIMIT 1
            """
                .formatted(lane),
            row -> row.getString(1))
        .get(0);
  }

  private static String parking(String key, String messages, String position, String due) {
    return """
    INSERT INTO posthorn_parked
           (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type, headers,
            occurred_at, recorded_at, seq, position, waiting, next_attempt_at)
    SELECT 'shop', gen_random_uuid(), 'T', 1, 'Thing', '%s', '', 'text/plain', '{}', clock_timestamp(),
           clock_timestamp(), nextval('posthorn_seq'), %s, 'RETRY', %s
      FROM generate_series(1, %s)
    """
        .formatted(key, position, due, messages);
  }

  private void comeAndGo(int lane) {
    for (int round = 0; round < 5; round++) {
      database.execute(parking(keyOf(lane), "50", "currval('posthorn_seq')", "clock_timestamp()"));
      List<Delivery> due = shop.get(lane).parked();
      assertThat(due).hasSize(50);
      shop.get(lane).settle(due.stream().map(Move.Sent::new).toArray(Move[]::new));
    }
  }

  private List<Integer> lanesWithEdgesAfter(long n) {
    return database.query(
        "SELECT DISTINCT lane FROM posthorn_edge WHERE n > %d ORDER BY lane".formatted(n),
        row -> row.getInt(1));
  }

  private long newestEdge() {
    return database.query("SELECT max(n) FROM posthorn_edge", row -> row.getLong(1)).get(0);
  }

  @Test
  void a_message_is_found_that_one_lane_parks_while_another_raises_its_edge() throws Exception {
    String lower = keyOf(0);
    shop.forEach(TestLane::state);
    comeAndGo(1);
    try (Connection settle = database.dataSource().getConnection();
        Statement statement = settle.createStatement()) {
      settle.setAutoCommit(false);
      statement.execute("SELECT 1 FROM posthorn_lane WHERE lane = 0 FOR NO KEY UPDATE");
      statement.execute(parking(lower, "1", "1", "clock_timestamp() - interval '1 hour'"));
      comeAndGo(1);
      settle.commit();
      settle.setAutoCommit(true);
    }
    lanes.add(keyed(lower, "behind"));
    assertThat(shop.get(0).batch().blocked()).containsExactly(new Key("Thing", lower));
    assertThat(shop.get(0).parked()).hasSize(1);
  }

  @Test
  void a_lane_begins_only_its_own_times_anew_after_a_clock_step() {
    shop.forEach(TestLane::state);
    comeAndGo(0);
    comeAndGo(1);
    database.execute(
        """
        UPDATE posthorn_edge
           SET at = at + interval '1 minute', due = due + interval '1 minute', oldest = oldest + interval '1 minute',
               safe_at = safe_at + interval '1 minute', low_at = low_at + interval '1 minute'
        """);
    long before = newestEdge();
    shop.get(0).parked();
    assertThat(lanesWithEdgesAfter(before)).containsExactly(0);
    shop.get(1).parked();
    assertThat(lanesWithEdgesAfter(before)).containsExactly(0, 1);
  }
}
