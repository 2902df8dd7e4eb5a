package io.posthorn.postgresql;

import io.posthorn.postgresql.sql.Settings;
import io.posthorn.postgresql.sql.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Plans of the relay's statements, with its settings and with values that fit the tests. */
public record Plans(PostgresqlDatabase database) {
  private static final Pattern SCAN =
      Pattern.compile("(?:Index|Index Only|Seq) Scan .*actual rows=([0-9.]+) loops=([0-9]+)");
  private static final Pattern REMOVED =
      Pattern.compile("Rows Removed by (?:Join )?Filter: ([0-9]+)");
  private static final Pattern BUFFERS =
      Pattern.compile("Buffers: shared hit=([0-9]+)(?: read=([0-9]+))?");
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
          Map.entry("allBelow", List.of("boolean", "true")),
          Map.entry("youngBelow", List.of("boolean", "false")),
          Map.entry("typesBelow", List.of("text[]", "'{T}'")),
          Map.entry("destination", List.of("text", "'shop'")),
          Map.entry("messages", List.of("int", "1000")),
          Map.entry("most", List.of("int", "2000")),
          Map.entry("bytes", List.of("bigint", "1000000")),
          Map.entry("aggregateTypes", List.of("text[]", "array_fill('A'::text, ARRAY[300])")),
          Map.entry("keys", List.of("text[]", "string_to_array('k' || repeat(',k', 299), ',')")),
          Map.entry("lane", List.of("int", "0")),
          Map.entry("everyBucket", List.of("boolean", "true")),
          Map.entry("firstBucket", List.of("int", "0")),
          Map.entry("lastBucket", List.of("int", "255")),
          Map.entry("low", List.of("bigint", "0")),
          Map.entry("destinations", List.of("text[]", "'{shop,other}'")),
          Map.entry("suspects", List.of("text[]", "'{3,4,5}'")),
          Map.entry("names", List.of("text[]", "'{mail}'")),
          Map.entry("looks", List.of("bigint[]", "'{200}'")),
          Map.entry("scheduledLooks", List.of("bigint[]", "'{100}'")),
          Map.entry("age", List.of("double precision", "1987200")),
          Map.entry(
              "ids", List.of("uuid[]", "ARRAY[md5('1')::uuid, md5('2')::uuid, md5('3')::uuid]")),
          Map.entry("span", List.of("int", "20000")),
          Map.entry("inline", List.of("bigint", "8000")),
          Map.entry("seqs", List.of("bigint[]", "'{100001,100005}'")),
          Map.entry("unrouted", List.of("boolean", "false")),
          Map.entry("grace", List.of("double precision", "600")));

  /** Counts all rows read, including those that were filtered out. */
  public static long rowsRead(String plan) {
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

  public String plan(Sql sql) throws SQLException {
    return explain("EXPLAIN (COSTS off) ", sql);
  }

  public String analyze(Sql sql) throws SQLException {
    return explain("EXPLAIN (ANALYZE, COSTS off, TIMING off, BUFFERS off) ", sql);
  }

  /** Returns how many pages each execution reads. */
  public long buffers(Sql sql) throws SQLException {
    return buffers(explain("EXPLAIN (ANALYZE, COSTS off, TIMING off, BUFFERS on) ", sql));
  }

  public static long buffers(String plan) {
    Matcher buffers = BUFFERS.matcher(plan);
    if (!buffers.find()) {
      return 0;
    }
    String read = buffers.group(2);
    return Long.parseLong(buffers.group(1)) + (read == null ? 0 : Long.parseLong(read));
  }

  /**
   * Prepares the statement on the server with the relay's settings, and explains it as it is
   * executed.
   */
  private String explain(String explain, Sql sql) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute(Settings.transaction(Duration.ZERO).text());
      StringBuilder text = new StringBuilder(database.names().in(sql));
      List<String> types = new ArrayList<>();
      List<String> values = new ArrayList<>();
      for (String parameter : sql.parameters()) {
        int mark = text.indexOf("?");
        types.add(TYPES_AND_VALUES.get(parameter).get(0));
        values.add(TYPES_AND_VALUES.get(parameter).get(1));
        text.replace(mark, mark + 1, "$" + types.size());
      }
      statement.execute("PREPARE p " + list(types) + " AS " + text);
      StringBuilder plan = new StringBuilder();
      try (ResultSet lines = statement.executeQuery(explain + "EXECUTE p " + list(values))) {
        while (lines.next()) {
          plan.append(lines.getString(1)).append('\n');
        }
      }
      statement.execute("DEALLOCATE p");
      connection.rollback();
      return plan.toString();
    }
  }

  private static String list(List<String> elements) {
    return elements.isEmpty() ? "" : "(" + String.join(", ", elements) + ")";
  }
}
