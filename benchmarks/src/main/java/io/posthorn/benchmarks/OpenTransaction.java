package io.posthorn.benchmarks;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** Somebody else's transaction, which has written something and does not end. */
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
      throw new BenchException("the foreign transaction", e);
    }
  }

  @Override
  public void close() {
    try {
      connection.rollback();
      connection.close();
    } catch (SQLException e) {
      throw new BenchException("the foreign transaction", e);
    }
  }
}
