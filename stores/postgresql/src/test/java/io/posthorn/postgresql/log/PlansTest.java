package io.posthorn.postgresql.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.postgresql.Plans;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.TestServer;
import io.posthorn.postgresql.lane.LaneRow;
import io.posthorn.postgresql.parked.LogParker;
import io.posthorn.postgresql.parked.ParkedReader;
import io.posthorn.postgresql.parked.UnreadBefore;
import io.posthorn.postgresql.schema.Ring;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Pages of a large log are read by the index on seq, stragglers by the index on (tx, seq), and at
 * most one page is sorted, even if the planner believes that the log is still empty.
 */
class PlansTest {
  private static final int ROWS = 200_000;
  private static final PostgresqlDatabase DATABASE = TestServer.newest().databaseOfItsOwn();
  private static final Plans PLANS = new Plans(DATABASE);

  @BeforeAll
  static void fill() {
    // The planner's statistics are from the time when the tables were empty, and are never updated.
    for (int leaf = 0; leaf < Ring.LEAVES; leaf++) {
      DATABASE.execute(
          "ALTER TABLE %s SET (autovacuum_enabled = off)".formatted(Ring.LOG.leaf(leaf).table()));
    }
    DATABASE.execute("ANALYZE posthorn_log");
    for (int i = 0; i < 20; i++) {
      DATABASE.execute(
          """
          INSERT INTO posthorn_log (id, type, aggregate_type, key, payload)
          SELECT gen_random_uuid(), 'T', 'A', 'k' || n %% 100, decode(repeat('ab', 100), 'hex')
            FROM generate_series(1, %d) n
          """
              .formatted(ROWS / 20));
    }
  }

  @BeforeAll
  static void register() {
    DATABASE.execute("INSERT INTO posthorn_destination (name) VALUES ('shop')");
    DATABASE.execute("INSERT INTO posthorn_lane (destination, lane) VALUES ('shop', 0)");
    DATABASE.execute(
        """
        INSERT INTO posthorn_progress (destination, lane, id, s1, low1, last_seq)
        VALUES ('shop', 0, gen_random_uuid(), '10:10:', 0, 0)
        """);
  }

  /**
   * Half of 100,000 keys are due, each with a second message behind it; 100,000 messages are
   * scheduled.
   */
  @BeforeAll
  static void park() {
    DATABASE.execute("ALTER TABLE posthorn_parked SET (autovacuum_enabled = off)");
    DATABASE.execute("ANALYZE posthorn_parked");
    DATABASE.execute(
        """
        INSERT INTO posthorn_parked
               (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type, headers,
                occurred_at, recorded_at, seq, position, waiting, next_attempt_at)
        SELECT 'shop', gen_random_uuid(), 'T', 1, 'A', 'k' || n % 100000, '', 'text/plain', '{}', now(), now(), n, n,
               CASE WHEN n < 100000 THEN 'RETRY' WHEN n < 200000 THEN 'TURN' ELSE 'TIME' END,
               CASE WHEN n < 50000 THEN now() WHEN n < 100000 OR n >= 200000 THEN now() + interval '1 day' END
          FROM generate_series(0, 299999) n
        """);
  }

  @AfterAll
  static void discard() {
    DATABASE.discard();
  }

  @Test
  void a_page_is_read_by_the_index_on_seq_and_not_sorted() throws SQLException {
    assertThat(PLANS.plan(LogReader.RANGE))
        .contains("Merge Append", "_seq_idx")
        .doesNotContain("_tx_seq_idx", "->  Sort", "Seq Scan", "Bitmap");
    assertThat(PLANS.plan(SpeculativeClaim.RANGE))
        .contains("Merge Append", "_seq_idx")
        .doesNotContain("_tx_seq_idx", "->  Sort", "Seq Scan on posthorn_log", "Bitmap");
  }

  @Test
  void the_cover_of_a_route_is_inlined_and_routes_are_found_by_their_key() throws SQLException {
    for (Sql sql :
        List.of(
            LogReader.RANGE,
            LogReader.STRAGGLERS,
            SpeculativeClaim.RANGE,
            SpeculativeClaim.ALL,
            UnreadBefore.STAND_BEHIND)) {
      assertThat(PLANS.plan(sql))
          .contains("since_seq) OR ((NOT pg_visible_in_snapshot(", "posthorn_route_pkey")
          .doesNotContain("posthorn_covers");
    }
  }

  @Test
  void messages_to_park_are_found_by_the_index_on_seq() throws SQLException {
    String plan = PLANS.analyze(LogParker.PARK);
    assertThat(Plans.rowsRead(plan)).as(plan).isLessThan(20);
    assertThat(plan).contains("_seq_idx").doesNotContain("Seq Scan on posthorn_log");
  }

  @Test
  void the_aggregate_type_of_a_key_is_inlined() {
    assertThat(
            plan("SELECT posthorn_key_type(aggregate_type, key) FROM posthorn_log WHERE seq = 1"))
        .contains("COALESCE(")
        .doesNotContain("posthorn_key_type");
  }

  @Test
  void the_conditions_on_dead_letters_are_inlined() {
    assertThat(
            plan(
                """
                SELECT x.id
                  FROM posthorn_dead x
                 WHERE posthorn_is_asked_for(x, NULL, NULL, 'R', 'A', 'k', NULL, NULL, 'e', '{}', NULL, NULL)
                """))
        .contains("_key_aggregate_type_idx", "'R'::text = x.reason", "lower(")
        .doesNotContain("posthorn_is_asked_for", "IS NULL");
  }

  private static String plan(String sql) {
    return String.join("\n", DATABASE.query("EXPLAIN (VERBOSE) " + sql, row -> row.getString(1)));
  }

  @Test
  void a_page_of_a_large_log_reads_little_more_than_the_page() throws SQLException {
    for (Sql sql : List.of(LogReader.RANGE, SpeculativeClaim.RANGE, SpeculativeClaim.ALL)) {
      String plan = PLANS.analyze(sql);
      assertThat(Plans.rowsRead(plan)).as(plan).isBetween(1_000L, 5_000L);
    }
  }

  @Test
  void stragglers_are_read_by_the_index_on_transaction_and_seq() throws SQLException {
    for (Sql sql : List.of(LogReader.STRAGGLERS, SpeculativeClaim.ALL)) {
      assertThat(PLANS.plan(sql))
          .contains("_tx_seq_idx")
          .contains("Index Cond: ((ROW(tx, seq) > ROW(")
          .doesNotContain("Seq Scan on posthorn_log", "Bitmap");
    }
    assertThat(PLANS.plan(LogReader.STRAGGLERS)).doesNotContain("Seq Scan", "_00_seq_idx");
  }

  @Test
  void parked_messages_that_are_due_are_found_without_reading_the_others() throws SQLException {
    String plan = PLANS.analyze(ParkedReader.RUNS);
    assertThat(Plans.rowsRead(plan)).as(plan).isLessThan(5_000);
  }

  @Test
  void scheduled_messages_that_fall_due_are_found_without_reading_the_others() throws SQLException {
    String plan = PLANS.analyze(ParkedReader.FALL_DUE);
    assertThat(Plans.rowsRead(plan)).as(plan).isLessThan(10);
  }

  @Test
  void received_messages_to_take_up_are_found_without_reading_the_others() throws SQLException {
    String plan = PLANS.analyze(ParkedReader.TAKE_UP);
    assertThat(Plans.rowsRead(plan)).as(plan).isLessThan(10);
  }

  @Test
  void unread_messages_of_a_key_are_found_by_the_index_on_keys() throws SQLException {
    assertThat(PLANS.plan(UnreadBefore.STAND_BEHIND))
        .contains("_key_seq_idx", "Index Cond: (((key)::text = p.key) AND (seq > ")
        .doesNotContain("Seq Scan on posthorn_log", "->  Sort", "_00_seq_idx");
  }

  @Test
  void looking_for_work_reads_next_to_nothing() throws SQLException {
    for (Sql sql : List.of(Probe.HEAD, Probe.LOOK, LaneRow.LOOK)) {
      String plan = PLANS.analyze(sql);
      assertThat(Plans.rowsRead(plan)).as(plan).isLessThan(20);
    }
  }
}
