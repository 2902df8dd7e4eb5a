package io.posthorn.benchmarks;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Another session that holds a snapshot, like a dump or a forgotten session. Rows removed from now
 * on cannot be cleaned up.
 */
final class HeldSnapshot implements AutoCloseable {
  private final Connection connection;

  /**
   * @param writes whether it also writes a row, and so has a transaction id
   */
  HeldSnapshot(Database database, boolean writes) {
    database.execute("CREATE TABLE IF NOT EXISTS bench_foreign (n int)");
    try {
      connection = database.dataSource().getConnection();
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        statement.execute(
            writes ? "INSERT INTO bench_foreign VALUES (1)" : "SELECT n FROM bench_foreign");
      }
    } catch (SQLException e) {
      throw new BenchException("the snapshot could not be taken", e);
    }
  }

  @Override
  public void close() {
    try {
      connection.rollback();
      connection.close();
    } catch (SQLException e) {
      throw new BenchException("the session with the snapshot could not be closed", e);
    }
  }
}
