package io.posthorn.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Pages of a large log are read by the index on seq, stragglers by the one on (tx, seq), and
 * nothing is sorted but a page; also if the planner believes that the log is still empty.
 */
class PlansTest {
  private static final int ROWS = 200_000;
  private static final Pattern SCAN =
      Pattern.compile("(?:Index|Index Only|Seq) Scan .*actual rows=([0-9.]+) loops=([0-9]+)");
  private static final Pattern REMOVED = Pattern.compile("Rows Removed by Filter: ([0-9]+)");
  private static final PostgresqlDatabase DATABASE = TestServer.newest().databaseOfItsOwn();

  private static final Map<String, List<String>> TYPES_AND_VALUES =
      Map.ofEntries(
          Map.entry("last", List.of("bigint", "100000")),
          Map.entry("after", List.of("bigint", "100000")),
          Map.entry("below", List.of("bigint", "200000")),
          Map.entry("upto", List.of("bigint", "200000")),
          Map.entry("s1", List.of("text", "'10:10:'")),
          Map.entry("s2", List.of("text", "pg_current_snapshot()::text")),
          Map.entry("finished", List.of("text[]", "'{900,901}'")),
          Map.entry("ahead", List.of("bigint[]", "'{100001,100005}'")),
          Map.entry("all", List.of("boolean", "true")),
          Map.entry("young", List.of("boolean", "false")),
          Map.entry("types", List.of("text[]", "'{T}'")),
          Map.entry("destination", List.of("text", "'shop'")),
          Map.entry("messages", List.of("int", "1000")),
          Map.entry("most", List.of("int", "2000")),
          Map.entry("bytes", List.of("bigint", "1000000")),
          Map.entry("lane", List.of("int", "0")),
          Map.entry("destinations", List.of("text[]", "'{shop,other}'")),
          Map.entry("suspects", List.of("text[]", "'{}'")),
          Map.entry("inline", List.of("bigint", "8000")));

  @BeforeAll
  static void fill() {
    // What the planner knows is of the time when there was nothing, and it learns nothing new.
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

  /** Of 100,000 keys one half is due, with another message behind it; 100,000 are scheduled. */
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
    assertThat(plan(LogReader.RANGE))
        .contains("Merge Append", "_seq_idx")
        .doesNotContain("_tx_seq_idx", "->  Sort", "Seq Scan", "Bitmap");
  }

  @Test
  void a_page_of_a_large_log_reads_little_more_than_the_page() throws SQLException {
    String plan = analyze(LogReader.RANGE);
    assertThat(rowsRead(plan)).as(plan).isLessThan(5_000);
  }

  @Test
  void stragglers_are_read_by_the_index_on_transaction_and_seq() throws SQLException {
    assertThat(plan(LogReader.STRAGGLERS))
        .contains("_tx_seq_idx")
        .contains("Index Cond: ((ROW(tx, seq) > ROW(")
        .doesNotContain("Seq Scan", "Bitmap", "_00_seq_idx");
  }

  @Test
  void parked_messages_that_are_due_are_found_without_reading_the_others() throws SQLException {
    String plan = analyze(ParkedReader.RUNS);
    assertThat(rowsRead(plan)).as(plan).isLessThan(5_000);
  }

  @Test
  void scheduled_messages_that_fall_due_are_found_without_reading_the_others() throws SQLException {
    String plan = analyze(ParkedReader.FALL_DUE);
    assertThat(rowsRead(plan)).as(plan).isLessThan(10);
  }

  @Test
  void received_messages_to_take_up_are_found_without_reading_the_others() throws SQLException {
    String plan = analyze(ParkedReader.TAKE_UP);
    assertThat(rowsRead(plan)).as(plan).isLessThan(10);
  }

  @Test
  void looking_for_work_reads_next_to_nothing() throws SQLException {
    for (Sql sql : List.of(Probe.LOOK, LaneRow.LOOK)) {
      String plan = analyze(sql);
      assertThat(rowsRead(plan)).as(plan).isLessThan(20);
    }
  }

  /** Also those that were read to be thrown away. */
  private static long rowsRead(String plan) {
    long rows = 0;
    double loops = 1;
    for (String line : plan.lines().toList()) {
      Matcher scan = SCAN.matcher(line);
      Matcher removed = REMOVED.matcher(line);
      if (scan.find()) {
        loops = Double.parseDouble(scan.group(2));
        rows += Math.round(Double.parseDouble(scan.group(1)) * loops);
      } else if (removed.find()) {
        rows += Math.round(Double.parseDouble(removed.group(1)) * loops);
      }
    }
    return rows;
  }

  private static String plan(Sql sql) throws SQLException {
    return explain("EXPLAIN (COSTS off) ", sql);
  }

  private static String analyze(Sql sql) throws SQLException {
    return explain("EXPLAIN (ANALYZE, COSTS off, TIMING off, BUFFERS off) ", sql);
  }

  /** Prepared on the server with the settings that the relay uses, and explained as it is run. */
  private static String explain(String explain, Sql sql) throws SQLException {
    try (Connection connection = DATABASE.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute(Database.TRANSACTION.text());
      StringBuilder text = new StringBuilder(DATABASE.tables().in(sql));
      List<String> types = new ArrayList<>();
      List<String> values = new ArrayList<>();
      for (String parameter : sql.parameters()) {
        int mark = text.indexOf("?");
        types.add(TYPES_AND_VALUES.get(parameter).get(0));
        values.add(TYPES_AND_VALUES.get(parameter).get(1));
        text.replace(mark, mark + 1, "$" + types.size());
      }
      statement.execute("PREPARE p (" + String.join(", ", types) + ") AS " + text);
      StringBuilder plan = new StringBuilder();
      try (ResultSet lines =
          statement.executeQuery(explain + "EXECUTE p (" + String.join(", ", values) + ")")) {
        while (lines.next()) {
          plan.append(lines.getString(1)).append('\n');
        }
      }
      statement.execute("DEALLOCATE p");
      connection.rollback();
      return plan.toString();
    }
  }
}
