package io.posthorn.core.bus;

import io.posthorn.core.error.Causes;
import io.posthorn.core.error.Sanitiser;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
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

  /**
   * Neither what was written nor a rule about it: the server, its resources, the way to it, and
   * what became of the transaction. A statement that was cancelled (57014) is not among them: it
   * may be one message's own that takes too long.
   */
  private static final List<String> INFRASTRUCTURE =
      List.of("08", "28", "40", "53", "57P", "58", "F0", "XX");

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

  /** What is done after it, right before the commit. */
  interface Seal<T> {
    void seal(Connection tx, T result);
  }

  /** A handler threw. */
  static final class HandlerThrew extends Exception {
    private static final long serialVersionUID = 1L;
    private final int index;

    HandlerThrew(int index, Throwable cause) {
      // Without a text: made of the cause's, it could fail.
      super(null, cause);
      this.index = index;
    }
  }

  /** How far a transaction got. */
  private enum Stage {
    OPENED,
    BEGUN,
    WORK_DONE,
    COMMITTED
  }

  <T> T run(Work<T> work) throws TransactionFailure {
    return run(work, (tx, result) -> {});
  }

  <T> T run(Work<T> work, Seal<T> seal) throws TransactionFailure {
    Connection connection = open();
    Before before = new Before(true, -1);
    Stage stage = Stage.OPENED;
    try {
      before = begin(connection);
      stage = Stage.BEGUN;
      T result = work.run(connection);
      stage = Stage.WORK_DONE;
      seal.seal(connection, result);
      connection.commit();
      stage = Stage.COMMITTED;
      return result;
    } catch (Throwable e) {
      throw trouble(connection, stage, e);
    } finally {
      close(connection, stage == Stage.COMMITTED, before);
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

  private Connection open() throws TransactionFailure {
    try {
      return dataSource.getConnection();
    } catch (SQLException | RuntimeException e) {
      throw new TransactionFailure(TransactionFailure.Kind.DATABASE, -1, e);
    }
  }

  private static TransactionFailure trouble(Connection connection, Stage stage, Throwable thrown) {
    int index = thrown instanceof HandlerThrew threw ? threw.index : -1;
    Throwable cause =
        thrown instanceof HandlerThrew && thrown.getCause() != null ? thrown.getCause() : thrown;
    if (!isAlive(connection)) {
      TransactionFailure.Kind kind =
          stage == Stage.OPENED ? TransactionFailure.Kind.DATABASE : TransactionFailure.Kind.LOST;
      return new TransactionFailure(kind, index, cause);
    }
    String state = state(cause);
    if (state != null && CONFLICTS.contains(state)) {
      return new TransactionFailure(TransactionFailure.Kind.CONFLICT, index, cause);
    }
    boolean handlers =
        index >= 0 || (stage == Stage.WORK_DONE ? isRefusal(state) : isContent(state));
    return new TransactionFailure(
        handlers ? TransactionFailure.Kind.HANDLER : TransactionFailure.Kind.DATABASE,
        index,
        cause);
  }

  private static boolean isContent(@Nullable String state) {
    return state != null && CONTENT.contains(state.substring(0, 2));
  }

  // Receipts are written, handlers have returned, the connection lives, and the transaction is
  // refused: by a rule that looks at the commit, with whatever code its author chose. Taken for the
  // database's fault, one message would hold up all others for ever.
  private static boolean isRefusal(@Nullable String state) {
    return state == null || INFRASTRUCTURE.stream().noneMatch(state::startsWith);
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
    for (Throwable cause : Causes.of(thrown)) {
      if (cause instanceof SQLException sql) {
        String state = sql.getSQLState();
        return state == null || state.length() != 5 ? null : state;
      }
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
