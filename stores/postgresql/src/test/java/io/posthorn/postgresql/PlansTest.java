package io.posthorn.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Pages of a large log are read by the index on seq, stragglers by the one on (tx, seq), and
 * nothing is sorted but a page; also if the planner believes that the log is still empty.
 */
class PlansTest {
  private static final int ROWS = 200_000;
  private static final PostgresqlDatabase DATABASE = TestServer.newest().databaseOfItsOwn();

  private static final Map<String, List<String>> TYPES_AND_VALUES =
      Map.ofEntries(
          Map.entry("last", List.of("bigint", "100000")),
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

  private static long rowsRead(String plan) {
    return plan.lines()
        .filter(line -> line.contains("Index Scan") && line.contains("actual rows"))
        .mapToLong(
            line -> (long) Double.parseDouble(line.replaceAll(".*actual rows=([0-9.]+) .*", "$1")))
        .sum();
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
      statement.execute(Database.SETTINGS);
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
