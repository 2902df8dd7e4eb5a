package io.posthorn.core;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A transaction on a connection of its own. */
final class OwnTransaction {
  private OwnTransaction() {}

  static <T extends @Nullable Object> T call(DataSource dataSource, Posthorn.Call<T> work)
      throws SQLException {
    try (Connection tx = dataSource.getConnection()) {
      boolean autoCommit = tx.getAutoCommit();
      tx.setAutoCommit(false);
      try {
        T result = work.call(tx);
        tx.commit();
        return result;
      } catch (Throwable e) {
        rollBack(tx, e);
        throw e;
      } finally {
        restore(tx, autoCommit);
      }
    }
  }

  private static void rollBack(Connection tx, Throwable failure) {
    try {
      tx.rollback();
    } catch (SQLException e) {
      failure.addSuppressed(e);
    }
  }

  /** A connection that cannot be restored is broken, which its pool notices. */
  private static void restore(Connection tx, boolean autoCommit) throws SQLException {
    if (autoCommit && !tx.isClosed()) {
      tx.setAutoCommit(true);
    }
  }
}
