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
 * The messages of one running transaction, in the order in which they were added. It is bound to
 * the thread as long as its transaction is: one that is suspended takes it away.
 */
public final class TransactionMessages implements TransactionSynchronization {
  private final Object place;
  private final Outbox outbox;
  private final List<Message> messages = new ArrayList<>();
  private final IdentityHashMap<Object, Integer> savepoints = new IdentityHashMap<>();
  private boolean ordered;
  private boolean closed;

  private TransactionMessages(Object place, Outbox outbox) {
    this.place = place;
    this.outbox = outbox;
  }

  static void open(Object place, Outbox outbox) {
    TransactionMessages added = new TransactionMessages(place, outbox);
    TransactionSynchronizationManager.bindResource(place, added);
    TransactionSynchronizationManager.registerSynchronization(added);
  }

  static @Nullable TransactionMessages current(Object place) {
    return (TransactionMessages) TransactionSynchronizationManager.getResource(place);
  }

  /** Adds to this transaction, whichever runs in this thread now. */
  public void add(Message message) {
    outbox.check(message);
    add(outbox.traced(message), false);
  }

  void add(Message message, boolean inOrder) {
    messages.add(message);
    ordered |= inOrder;
  }

  boolean isEmpty() {
    return messages.isEmpty();
  }

  /** Its transaction is being committed, or is over. */
  boolean isClosed() {
    return closed;
  }

  /** Nothing more can be added. */
  void close() {
    closed = true;
  }

  /** All in one statement; see {@link TransactionalOutbox#addOrdered} for what that means there. */
  void write(Connection tx) {
    if (ordered) {
      outbox.addOrdered(tx, messages);
    } else {
      outbox.add(tx, messages);
    }
  }

  @Override
  public void suspend() {
    TransactionSynchronizationManager.unbindResource(place);
  }

  @Override
  public void resume() {
    TransactionSynchronizationManager.bindResource(place, this);
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
    TransactionSynchronizationManager.unbindResourceIfPossible(place);
    if (status == STATUS_COMMITTED && !messages.isEmpty()) {
      outbox.wake();
    }
  }
}
