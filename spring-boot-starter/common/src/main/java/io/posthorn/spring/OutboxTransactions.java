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
 * <p>A listener of the transaction manager and not a synchronization of the transaction: it is
 * called after all synchronizations, so that what they add is not forgotten; and a transaction
 * whose manager does not call it has no place for them, so that adding fails instead of being lost.
 *
 * <p>Why so late: a message's place in the log must be drawn after the aggregate is locked. JDBC
 * locks it with the UPDATE, Hibernate only when it flushes. So the session is flushed first.
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

  /** None if it is not the outbox's, or only a part of a greater one. */
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

  /** Those of the transaction that runs in this thread now; none if its manager does not tell. */
  public @Nullable TransactionMessages running() {
    return TransactionMessages.current(this);
  }

  /** Those of the running transaction; throws if there is none that can take this. */
  TransactionMessages messagesFor(Message message) {
    TransactionMessages added = TransactionMessages.current(this);
    if (added == null) {
      throw TransactionSynchronizationManager.isActualTransactionActive()
          ? notAdded(
              message,
              "the running transaction '%s' is not one of the outbox's DataSource. Use the transaction manager of that DataSource, a bean that Spring made; posthorn.data-source names the DataSource"
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
