package io.posthorn.spring;

import io.posthorn.core.message.Message;
import io.posthorn.core.outbox.Outbox;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The messages of one running transaction, in the order in which they were added. They are bound to
 * the thread as long as their transaction is; suspending the transaction unbinds them.
 */
public final class TransactionMessages implements TransactionSynchronization {
  private final Object resource;
  private final Outbox outbox;
  private final List<Message> messages = new ArrayList<>();
  private final IdentityHashMap<Object, Integer> savepoints = new IdentityHashMap<>();
  private boolean ordered;
  private boolean closed;

  private TransactionMessages(Object resource, Outbox outbox) {
    this.resource = resource;
    this.outbox = outbox;
  }

  static void open(Object resource, Outbox outbox) {
    TransactionMessages added = new TransactionMessages(resource, outbox);
    TransactionSynchronizationManager.bindResource(resource, added);
    TransactionSynchronizationManager.registerSynchronization(added);
  }

  static @Nullable TransactionMessages current(Object resource) {
    return (TransactionMessages) TransactionSynchronizationManager.getResource(resource);
  }

  /** Adds a message to this transaction, whichever transaction runs in this thread now. */
  public void add(Message message, boolean inOrder) {
    outbox.check(message);
    addChecked(outbox.traced(message), inOrder);
  }

  void addChecked(Message message, boolean inOrder) {
    messages.add(message);
    ordered |= inOrder;
  }

  boolean isEmpty() {
    return messages.isEmpty();
  }

  /** Returns whether the transaction is being committed or is over. */
  boolean isClosed() {
    return closed;
  }

  /** Refuses further messages. */
  void close() {
    closed = true;
  }

  /**
   * Writes all messages in one statement, ordered if {@link TransactionalOutbox#addOrdered} was
   * used.
   */
  void write(Connection tx) {
    if (ordered) {
      outbox.addOrdered(tx, messages);
    } else {
      outbox.add(tx, messages);
    }
  }

  @Override
  public void suspend() {
    TransactionSynchronizationManager.unbindResource(resource);
  }

  @Override
  public void resume() {
    TransactionSynchronizationManager.bindResource(resource, this);
  }

  @Override
  public void savepoint(Object savepoint) {
    savepoints.put(savepoint, messages.size());
  }

  @Override
  public void savepointRollback(Object savepoint) {
    Integer size = savepoints.get(savepoint);
    if (size != null) {
      messages.subList(size, messages.size()).clear();
    }
  }

  @Override
  public void afterCompletion(int status) {
    TransactionSynchronizationManager.unbindResourceIfPossible(resource);
    if (status == STATUS_COMMITTED && !messages.isEmpty()) {
      outbox.wake();
    }
  }
}
