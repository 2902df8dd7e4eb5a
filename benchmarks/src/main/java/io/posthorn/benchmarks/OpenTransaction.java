package io.posthorn.benchmarks;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** Another session's transaction, which has written a row and stays open. */
final class OpenTransaction implements AutoCloseable {
  private final Connection connection;

  OpenTransaction(Database database) {
    database.execute("CREATE TABLE IF NOT EXISTS bench_foreign (n int)");
    try {
      connection = database.dataSource().getConnection();
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        statement.execute("INSERT INTO bench_foreign VALUES (1)");
      }
    } catch (SQLException e) {
      throw new BenchException("the open transaction could not be started", e);
    }
  }

  @Override
  public void close() {
    try {
      connection.rollback();
      connection.close();
    } catch (SQLException e) {
      throw new BenchException("the open transaction could not be closed", e);
    }
  }
}
