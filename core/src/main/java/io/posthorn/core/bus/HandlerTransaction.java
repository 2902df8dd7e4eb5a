package io.posthorn.core.bus;

import io.posthorn.core.error.Causes;
import io.posthorn.core.error.Sanitiser;
import io.posthorn.core.store.DatabaseErrors;
import io.posthorn.core.store.ErrorMeaning;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs work in a transaction of its own. If it fails, the failure says what was at fault. */
final class HandlerTransaction {
  private static final Logger LOG = LoggerFactory.getLogger(HandlerTransaction.class);

  private final DataSource dataSource;
  private final DatabaseErrors errors;
  private final @Nullable Isolation isolation;

  HandlerTransaction(DataSource dataSource, DatabaseErrors errors, @Nullable Isolation isolation) {
    this.dataSource = dataSource;
    this.errors = errors;
    this.isolation = isolation;
  }

  /** The work of the transaction. */
  interface Work<T> {
    T run(Connection tx) throws Exception;
  }

  /** The last step of the transaction, right before the commit. */
  interface Seal<T> {
    void seal(Connection tx, T result);
  }

  /** A handler threw. */
  static final class HandlerThrew extends Exception {
    private static final long serialVersionUID = 1L;
    private final int index;

    HandlerThrew(int index, Throwable cause) {
      // No message: a message made from the cause could throw.
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
      throw failure(connection, stage, e);
    } finally {
      close(connection, stage == Stage.COMMITTED, before);
    }
  }

  /**
   * The settings that the connection had before, to be restored.
   *
   * @param level the isolation level if it was changed, or else −1: reading it costs a round trip
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

  /** Whether the database answers on another connection than the one that was lost. */
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

  private TransactionFailure failure(Connection connection, Stage stage, Throwable thrown) {
    int index = thrown instanceof HandlerThrew threw ? threw.index : -1;
    Throwable cause =
        thrown instanceof HandlerThrew && thrown.getCause() != null ? thrown.getCause() : thrown;
    if (!isAlive(connection)) {
      TransactionFailure.Kind kind =
          stage == Stage.OPENED ? TransactionFailure.Kind.DATABASE : TransactionFailure.Kind.LOST;
      return new TransactionFailure(kind, index, cause);
    }
    return new TransactionFailure(kind(meaning(cause), index >= 0, stage), index, cause);
  }

  private static TransactionFailure.Kind kind(
      ErrorMeaning meaning, boolean handlerThrew, Stage stage) {
    return switch (meaning) {
      case CONFLICT, LOCK_TIMEOUT -> TransactionFailure.Kind.CONFLICT;
      case REFUSED -> TransactionFailure.Kind.HANDLER;
      // If the work is done and the connection lives, a rule that the database checks at the commit
      // refused the transaction, with whatever code the author of the rule chose. If that counted
      // as the database's fault, one message would hold up all others for ever.
      case UNKNOWN -> blame(handlerThrew || stage == Stage.WORK_DONE);
      case CONNECTION_LOST, UNAVAILABLE -> blame(handlerThrew);
    };
  }

  private static TransactionFailure.Kind blame(boolean handler) {
    return handler ? TransactionFailure.Kind.HANDLER : TransactionFailure.Kind.DATABASE;
  }

  // The connection is checked before the error is read. What a handler throws after its connection
  // was lost is rarely the handler's fault. And an error of another database's connection says
  // nothing about this one.
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

  private ErrorMeaning meaning(Throwable thrown) {
    for (Throwable cause : Causes.of(thrown)) {
      if (cause instanceof SQLException sql) {
        return errors.meaningOf(sql);
      }
    }
    return ErrorMeaning.UNKNOWN;
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
      // The connection is broken, which the pool notices when the connection is closed. The
      // transaction is over in any case.
      LOG.debug("The settings of a connection were not restored: {}", Sanitiser.text(e));
    }
  }
}
