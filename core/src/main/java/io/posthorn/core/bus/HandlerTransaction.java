package io.posthorn.core.bus;

import io.posthorn.core.error.Sanitiser;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs work in a transaction of its own, and tells whose fault it is if that does not work. */
final class HandlerTransaction {
  private static final Logger LOG = LoggerFactory.getLogger(HandlerTransaction.class);

  /** Serialization failure, deadlock, a lock that was not to be had in time. */
  private static final Set<String> CONFLICTS = Set.of("40001", "40P01", "55P03");

  /** What was written is at fault: the data, a constraint, a transaction that had failed before. */
  private static final Set<String> CONTENT = Set.of("21", "22", "23", "25", "44", "54", "P0");

  private final DataSource dataSource;
  private final @Nullable Isolation isolation;

  HandlerTransaction(DataSource dataSource, @Nullable Isolation isolation) {
    this.dataSource = dataSource;
    this.isolation = isolation;
  }

  /** What is done in the transaction. */
  interface Work<T> {
    T run(Connection tx) throws Exception;
  }

  /** A handler threw. */
  static final class HandlerThrew extends Exception {
    private static final long serialVersionUID = 1L;
    private final int index;

    HandlerThrew(int index, Throwable cause) {
      super(cause);
      this.index = index;
    }
  }

  <T> T run(Work<T> work) throws Trouble {
    Connection connection = open();
    Before before = new Before(true, -1);
    boolean begun = false;
    boolean committed = false;
    try {
      before = begin(connection);
      begun = true;
      T result = work.run(connection);
      connection.commit();
      committed = true;
      return result;
    } catch (Throwable e) {
      throw trouble(connection, begun, e);
    } finally {
      close(connection, committed, before);
    }
  }

  /**
   * How the connection came; the level only if it was changed, because asking costs a round trip.
   */
  private record Before(boolean autoCommit, int level) {}

  private Before begin(Connection connection) throws SQLException {
    boolean autoCommit = connection.getAutoCommit();
    int level = -1;
    if (isolation != null) {
      level = connection.getTransactionIsolation();
      if (!autoCommit) {
        connection.rollback();
      }
      if (level == isolation.level()) {
        level = -1;
      } else {
        connection.setTransactionIsolation(isolation.level());
      }
    }
    connection.setAutoCommit(false);
    return new Before(autoCommit, level);
  }

  /** Whether the database can be asked, by another connection than the one that was lost. */
  boolean answers() {
    try (Connection connection = dataSource.getConnection()) {
      return connection.isValid(2);
    } catch (SQLException | RuntimeException e) {
      return false;
    }
  }

  private Connection open() throws Trouble {
    try {
      return dataSource.getConnection();
    } catch (SQLException | RuntimeException e) {
      throw new Trouble(Trouble.Kind.DATABASE, -1, e);
    }
  }

  private static Trouble trouble(Connection connection, boolean begun, Throwable thrown) {
    int index = thrown instanceof HandlerThrew threw ? threw.index : -1;
    Throwable cause =
        thrown instanceof HandlerThrew && thrown.getCause() != null ? thrown.getCause() : thrown;
    if (!isAlive(connection)) {
      Trouble.Kind kind = begun ? Trouble.Kind.LOST : Trouble.Kind.DATABASE;
      return new Trouble(kind, index, cause);
    }
    String state = state(cause);
    if (state != null && CONFLICTS.contains(state)) {
      return new Trouble(Trouble.Kind.CONFLICT, index, cause);
    }
    boolean content = state != null && CONTENT.contains(state.substring(0, 2));
    return new Trouble(
        index >= 0 || content ? Trouble.Kind.HANDLER : Trouble.Kind.DATABASE, index, cause);
  }

  // Asked only after a failure: whatever a handler throws while its connection is gone is, as a
  // rule, not its fault, and an error of another database's connection is not ours.
  private static boolean isAlive(Connection connection) {
    try {
      if (connection.isClosed()) {
        return false;
      }
      connection.rollback();
      return connection.isValid(2);
    } catch (SQLException e) {
      return false;
    }
  }

  private static @Nullable String state(Throwable thrown) {
    Throwable cause = thrown;
    for (int depth = 0; cause != null && depth < 50; depth++) {
      if (cause instanceof SQLException sql) {
        String state = sql.getSQLState();
        return state == null || state.length() != 5 ? null : state;
      }
      cause = cause.getCause();
    }
    return null;
  }

  private static void close(Connection connection, boolean committed, Before before) {
    try (connection) {
      if (connection.isClosed()) {
        return;
      }
      if (!committed) {
        connection.rollback();
      }
      if (before.level >= 0) {
        connection.setTransactionIsolation(before.level);
      }
      connection.setAutoCommit(before.autoCommit);
    } catch (SQLException e) {
      // The connection is broken, and whoever gave it notices when it is closed. The transaction is
      // over in any case.
      LOG.debug("A connection could not be put back as it was: {}", Sanitiser.text(e));
    }
  }
}
