package io.posthorn.spring;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Message;
import io.posthorn.core.outbox.Outbox;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Collects the messages of every transaction on the outbox's DataSource, and writes them right
 * before the commit.
 *
 * <p>This is a listener of the transaction manager, not a synchronization of the transaction. The
 * manager calls it after all synchronizations, so messages that these add are included. A
 * transaction whose manager does not call the listener cannot hold messages, so adding one fails
 * instead of losing it.
 *
 * <p>Messages are written that late because a message's place in the log must be drawn after the
 * aggregate is locked. JDBC locks it with the UPDATE, but Hibernate only when it flushes. The
 * session is therefore flushed first.
 */
public final class OutboxTransactions implements TransactionExecutionListener {
  private final DataSource dataSource;
  private final Outbox outbox;

  public OutboxTransactions(DataSource dataSource, Outbox outbox) {
    this.dataSource = dataSource;
    this.outbox = outbox;
  }

  @Override
  public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
    if (failure == null
        && connectionOf(transaction) != null
        && TransactionSynchronizationManager.isSynchronizationActive()) {
      TransactionMessages.open(this, outbox);
    }
  }

  @Override
  public void beforeCommit(TransactionExecution transaction) {
    ConnectionHolder connection = connectionOf(transaction);
    TransactionMessages added = TransactionMessages.current(this);
    if (connection == null || added == null) {
      return;
    }
    if (!added.isEmpty()) {
      ((DefaultTransactionStatus) transaction).flush();
      added.write(connection.getConnection());
    }
    added.close();
  }

  /** Returns null if the transaction is not the outbox's, or only takes part in an outer one. */
  private @Nullable ConnectionHolder connectionOf(TransactionExecution transaction) {
    if (transaction instanceof DefaultTransactionStatus status
        && status.isNewTransaction()
        && status.getTransaction() instanceof JdbcTransactionObjectSupport jdbc
        && jdbc.hasConnectionHolder()
        && jdbc.getConnectionHolder()
            == TransactionSynchronizationManager.getResource(dataSource)) {
      return jdbc.getConnectionHolder();
    }
    return null;
  }

  /**
   * Returns the messages of this thread's transaction, or null if its manager does not call this.
   */
  public @Nullable TransactionMessages running() {
    return TransactionMessages.current(this);
  }

  /** Returns the running transaction's messages; throws if none can take this message. */
  TransactionMessages messagesFor(Message message) {
    TransactionMessages added = TransactionMessages.current(this);
    if (added == null) {
      throw TransactionSynchronizationManager.isActualTransactionActive()
          ? notAdded(
              message,
              "the running transaction '%s' is not one of the outbox's DataSource. Use the transaction manager of that DataSource, as a bean that Spring creates; posthorn.data-source names the DataSource"
                  .formatted(TransactionSynchronizationManager.getCurrentTransactionName()))
          : notAdded(
              message,
              "no transaction is running in this thread, so it could be sent without your own change, or not at all. Call it within @Transactional or a TransactionTemplate");
    }
    if (added.isClosed()) {
      throw notAdded(
          message,
          "the transaction is over or being committed. Add it before the commit, or in a new transaction (REQUIRES_NEW)");
    }
    if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
      throw notAdded(message, "the transaction is read-only. Remove readOnly = true");
    }
    return added;
  }

  private static PosthornException notAdded(Message message, String why) {
    return new PosthornException(
        ErrorCode.NO_TRANSACTION, "message '%s' was not added: %s.".formatted(message.type(), why));
  }
}
