package io.posthorn.sight;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** All that Posthorn's tables hold, but for the payloads and headers of messages. */
final class Rows {
  private static final String TABLES =
      """
      SELECT c.oid::regclass::text AS name
        FROM pg_class c
        JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname = 'public'
         AND c.relkind = 'r'
         AND c.relname LIKE 'posthorn%'
       ORDER BY 1
      """;

  private Rows() {}

  static List<String> of(DataSource dataSource) {
    List<String> rows = new ArrayList<>();
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      for (String table : first(statement, TABLES)) {
        String all =
            "SELECT '%s: ' || (to_jsonb(t) - 'payload' - 'headers')::text FROM %s t"
                .formatted(table, table);
        rows.addAll(first(statement, all));
      }
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
    return rows;
  }

  private static List<String> first(Statement statement, String sql) throws SQLException {
    List<String> found = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        found.add(rows.getString(1));
      }
    }
    return found;
  }
}
