package io.posthorn.spring.handler;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Message;
import io.posthorn.core.outbox.Adding;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.spring.OutboxTransactions;
import io.posthorn.spring.TransactionMessages;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A DataSource whose connections are Spring transactions: opening one begins a transaction in this
 * thread, and commit and close end it. A subscription, which does not depend on Spring, therefore
 * writes its receipts in the transaction that everything inside the handler joins.
 */
public final class HandlerTransactions extends AbstractDataSource {
  private static final DefaultTransactionDefinition OWN = own();

  private final PlatformTransactionManager manager;
  private final DataSource dataSource;
  private final Outbox outbox;
  private final OutboxTransactions messages;

  /**
   * Creates transactions on this DataSource.
   *
   * @param manager the manager that the application uses for it
   */
  public HandlerTransactions(
      PlatformTransactionManager manager,
      DataSource dataSource,
      Outbox outbox,
      OutboxTransactions messages) {
    this.manager = manager;
    this.dataSource = dataSource;
    this.outbox = outbox;
    this.messages = messages;
  }

  private static DefaultTransactionDefinition own() {
    DefaultTransactionDefinition own =
        new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    own.setName("io.posthorn.handler");
    return own;
  }

  /** Throws if this manager's transactions are not transactions of the DataSource. */
  public void check() {
    try (Connection connection = getConnection()) {
      connection.rollback();
    } catch (SQLException e) {
      throw new CannotGetJdbcConnectionException("A transaction could not be ended", e);
    }
  }

  @Override
  public Connection getConnection() {
    TransactionStatus status = manager.getTransaction(OWN);
    try {
      if (TransactionSynchronizationManager.isSynchronizationActive()
          && TransactionSynchronizationManager.getResource(dataSource)
              instanceof ConnectionHolder holder) {
        return TransactionConnection.of(
            manager, status, holder.getConnection(), messages.running());
      }
    } catch (RuntimeException | Error e) {
      manager.rollback(status);
      throw e;
    }
    manager.rollback(status);
    throw new PosthornException(
        ErrorCode.CONFIGURATION,
        "no handler was called: transactions of %s have no connection of the outbox's DataSource. Use a transaction manager of that DataSource, with Spring's synchronizations; with JPA, use a dialect that exposes its connection."
            .formatted(manager.getClass().getName()));
  }

  /**
   * Adds a message to this connection's transaction, together with those that the application adds
   * itself. If the manager does not report its commits, nothing collects messages, and this one is
   * written at once.
   */
  public void add(Connection tx, Message message, boolean ordered) {
    TransactionMessages added = TransactionConnection.messagesOf(tx);
    if (added == null) {
      Adding.to(outbox).add(tx, message, ordered);
    } else {
      added.add(message, ordered);
    }
  }

  @Override
  public Connection getConnection(String user, String password) {
    return getConnection();
  }
}
