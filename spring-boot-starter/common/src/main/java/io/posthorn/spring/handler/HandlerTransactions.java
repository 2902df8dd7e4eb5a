package io.posthorn.spring.handler;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Message;
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
 * Connections that are transactions of Spring: opening one begins a transaction of its manager in
 * this thread, commit and close end it. So a subscription, which knows nothing of Spring, writes
 * its receipts in the transaction that everything inside the handler takes part in.
 */
public final class HandlerTransactions extends AbstractDataSource {
  private static final DefaultTransactionDefinition OWN = own();

  private final PlatformTransactionManager manager;
  private final DataSource dataSource;
  private final Outbox outbox;
  private final OutboxTransactions messages;

  /**
   * On this DataSource.
   *
   * @param manager the one that the application uses for it
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

  /** Throws if transactions of this manager are not such of the DataSource. */
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
        "no handler was called: transactions of %s have no connection of the outbox's DataSource. Use a transaction manager of that DataSource, with the synchronizations of Spring; with JPA, a dialect that gives its connection."
            .formatted(manager.getClass().getName()));
  }

  /**
   * Adds a message to the transaction that this connection is, among those that the application
   * adds by itself. If the manager tells nobody of its commits there are none, and it is written at
   * once.
   */
  public void add(Connection tx, Message message) {
    TransactionMessages added = TransactionConnection.messagesOf(tx);
    if (added == null) {
      outbox.add(tx, message);
    } else {
      added.add(message);
    }
  }

  @Override
  public Connection getConnection(String user, String password) {
    return getConnection();
  }
}
