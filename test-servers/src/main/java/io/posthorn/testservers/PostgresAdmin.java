package io.posthorn.testservers;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.ds.PGSimpleDataSource;

/** Runs single statements as the superuser, each on a connection of its own. */
record PostgresAdmin(String jdbcUrl) {
  // Limits the time that a hanging server can cost; the longest statement is a promotion.
  private static final int ANSWER_SECONDS = 40;
  private static final int CONNECT_SECONDS = 5;

  void execute(String sql) {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new TestServerException("failed: " + sql + ": " + e.getMessage(), e);
    }
  }

  /** Returns the first column of the first row. */
  String value(String sql) {
    try {
      return query(sql);
    } catch (SQLException e) {
      throw new TestServerException("failed: " + sql + ": " + e.getMessage(), e);
    }
  }

  String query(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      if (!rows.next()) {
        throw new SQLException("no row");
      }
      return String.valueOf(rows.getString(1));
    }
  }

  private Connection connect() throws SQLException {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(jdbcUrl);
    source.setConnectTimeout(CONNECT_SECONDS);
    source.setSocketTimeout(ANSWER_SECONDS);
    return source.getConnection();
  }
}
