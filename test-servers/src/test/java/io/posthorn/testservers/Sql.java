package io.posthorn.testservers;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** Short statements for tests. */
final class Sql {
  private Sql() {}

  static void execute(DataSource source, String sql) throws SQLException {
    try (Connection connection = source.getConnection()) {
      execute(connection, sql);
    }
  }

  static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  static String value(DataSource source, String sql) throws SQLException {
    try (Connection connection = source.getConnection()) {
      return value(connection, sql);
    }
  }

  static String value(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }
}
