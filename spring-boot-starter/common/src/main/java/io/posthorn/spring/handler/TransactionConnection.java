package io.posthorn.spring.handler;

import io.posthorn.core.error.Causes;
import io.posthorn.core.error.Sanitiser;
import io.posthorn.spring.TransactionMessages;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The connection of one Spring transaction.
 *
 * <p>Commit and close end the transaction. A rollback is executed at once but does not end the
 * transaction, so that a caller can still find out whether the connection is alive. {@code
 * unwrap(TransactionStatus.class)} returns the transaction.
 */
final class TransactionConnection implements InvocationHandler, TransactionSynchronization {
  private static final Logger LOG = LoggerFactory.getLogger(TransactionConnection.class);

  /** SQL state "invalid transaction state": something done in the transaction is at fault. */
  private static final String FAILED_BEFORE = "25000";

  private static final int SECONDS_TO_ANSWER = 2;

  private final PlatformTransactionManager manager;
  private final TransactionStatus status;
  private final Connection connection;
  private final @Nullable TransactionMessages messages;
  private boolean ended;
  private boolean committing;
  private boolean committed;
  private boolean alive;
  private @Nullable Integer isolationBefore;

  private TransactionConnection(
      PlatformTransactionManager manager,
      TransactionStatus status,
      Connection connection,
      @Nullable TransactionMessages messages) {
    this.manager = manager;
    this.status = status;
    this.connection = connection;
    this.messages = messages;
  }

  static Connection of(
      PlatformTransactionManager manager,
      TransactionStatus status,
      Connection connection,
      @Nullable TransactionMessages messages) {
    TransactionConnection own = new TransactionConnection(manager, status, connection, messages);
    TransactionSynchronizationManager.registerSynchronization(own);
    return (Connection)
        Proxy.newProxyInstance(
            TransactionConnection.class.getClassLoader(), new Class<?>[] {Connection.class}, own);
  }

  /** Returns the messages of this connection's transaction, whatever runs in this thread now. */
  static @Nullable TransactionMessages messagesOf(Connection tx) {
    try {
      return tx.unwrap(TransactionConnection.class).messages;
    } catch (SQLException e) {
      throw new IllegalArgumentException("This is not a connection of a handler", e);
    }
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] args)
      throws Throwable {
    switch (method.getName()) {
      case "commit" -> commit();
      case "close" -> close();
      case "isClosed" -> {
        return ended ? !alive : connection.isClosed();
      }
      case "isValid" -> {
        return ended ? alive : delegate(method, args);
      }
      case "setSavepoint" -> {
        Object savepoint = delegate(method, args);
        if (messages != null && savepoint != null) {
          messages.savepoint(savepoint);
        }
        return savepoint;
      }
      case "rollback" -> {
        if (!ended) {
          delegate(method, args);
          // Messages that wait for the commit are not in the database, whose rollback therefore
          // misses them.
          if (messages != null && args != null && args[0] != null) {
            messages.savepointRollback(args[0]);
          }
        }
      }
      case "setTransactionIsolation" -> {
        if (isolationBefore == null) {
          isolationBefore = connection.getTransactionIsolation();
        }
        return delegate(method, args);
      }
      case "setAutoCommit" -> {
        // Auto-commit is already off, and Spring restores it.
      }
      case "unwrap" -> {
        return unwrap(method, args);
      }
      default -> {
        return delegate(method, args);
      }
    }
    return null;
  }

  private @Nullable Object delegate(Method method, @Nullable Object @Nullable [] args)
      throws Throwable {
    try {
      return method.invoke(connection, args);
    } catch (InvocationTargetException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }

  private @Nullable Object unwrap(Method method, @Nullable Object @Nullable [] args)
      throws Throwable {
    if (args != null && args[0] == TransactionStatus.class) {
      return status;
    }
    return args != null && args[0] == TransactionConnection.class ? this : delegate(method, args);
  }

  private void commit() throws SQLException {
    if (status.isRollbackOnly()) {
      // Spring would roll back silently, and the message would be lost.
      throw failed("the transaction was marked for rollback", null);
    }
    committing = true;
    try {
      manager.commit(status);
    } catch (RuntimeException | Error e) {
      if (!committed) {
        if (hasSqlState(e)) {
          throw e;
        }
        throw failed(e.toString(), e);
      }
      LOG.warn(
          "A callback after the commit of a handler's transaction failed; the message is handled",
          Sanitiser.clean(e));
    } finally {
      ended = true;
    }
  }

  private void close() throws SQLException {
    if (!ended) {
      ended = true;
      try {
        manager.rollback(status);
      } catch (RuntimeException e) {
        throw new SQLException(e);
      }
    }
  }

  /**
   * Checks the connection while it is still available, and restores its isolation level: after the
   * commit it belongs to the pool.
   */
  @Override
  public void afterCompletion(int completion) {
    committed = completion == STATUS_COMMITTED;
    restoreIsolation();
    if (committing && !committed) {
      try {
        alive = connection.isValid(SECONDS_TO_ANSWER);
      } catch (SQLException e) {
        alive = false;
      }
    }
  }

  private void restoreIsolation() {
    if (isolationBefore == null) {
      return;
    }
    try {
      connection.setTransactionIsolation(isolationBefore);
    } catch (SQLException e) {
      // The connection is broken, which the pool notices. The transaction is over in any case.
      LOG.debug("The isolation level of a connection was not restored: {}", Sanitiser.text(e));
    }
  }

  private static SQLException failed(String why, @Nullable Throwable cause) {
    return new SQLException(why, FAILED_BEFORE, cause);
  }

  private static boolean hasSqlState(Throwable thrown) {
    for (Throwable cause : Causes.of(thrown)) {
      if (cause instanceof SQLException sql) {
        return sql.getSQLState() != null;
      }
    }
    return false;
  }
}
