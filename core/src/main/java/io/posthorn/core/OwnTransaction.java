package io.posthorn.core;

import io.posthorn.core.error.Sanitiser;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A transaction on a connection of its own. */
final class OwnTransaction {
  private static final Logger LOG = LoggerFactory.getLogger(OwnTransaction.class);

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

  /**
   * Never throws: the transaction has ended, and its result counts. A connection that cannot be
   * restored is broken, which its pool notices.
   */
  private static void restore(Connection tx, boolean autoCommit) {
    try {
      if (autoCommit && !tx.isClosed()) {
        tx.setAutoCommit(true);
      }
    } catch (SQLException e) {
      LOG.debug("The auto-commit of a connection was not restored: {}", Sanitiser.text(e));
    }
  }
}
