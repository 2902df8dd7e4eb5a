package io.posthorn.spring;

import io.posthorn.core.message.Message;
import io.posthorn.core.outbox.Outbox;

/**
 * The outbox in the running Spring transaction ({@code @Transactional} or {@code
 * TransactionTemplate}), by JDBC or JPA. Outside one, in a read-only one, or in one of another
 * DataSource, adding fails at once.
 *
 * <p>All messages of a transaction are written together right before the commit, after what
 * Hibernate flushes, in the order in which they were added. So what the database says against them
 * appears at the commit; what can be checked before is checked at once. After the commit the relay
 * of this program is woken.
 */
public final class TransactionalOutbox {
  private final Outbox outbox;
  private final OutboxTransactions transactions;
  private final EventMessages events;

  public TransactionalOutbox(Outbox outbox, OutboxTransactions transactions, EventMessages events) {
    this.outbox = outbox;
    this.transactions = transactions;
    this.events = events;
  }

  public void add(Message message) {
    add(message, false);
  }

  /** Adds the message of an event whose class has {@link OutboxMessage}, or a registered type. */
  public void add(Object event) {
    add(messageOf(event), false);
  }

  /**
   * Adds a message after locking its key until the transaction ends. Use it where the transaction
   * does not write the aggregate itself: otherwise two that tell of it at the same time may get
   * their messages in the other order. The keys of all other messages of this transaction are
   * locked with it, at most 1,000.
   */
  public void addOrdered(Message message) {
    add(message, true);
  }

  public void addOrdered(Object event) {
    add(messageOf(event), true);
  }

  private Message messageOf(Object event) {
    return event instanceof Message message ? message : events.messageOf(event);
  }

  private void add(Message message, boolean ordered) {
    TransactionMessages added = transactions.messagesFor(message);
    outbox.check(message);
    // Now, and not at the commit: by then the span in which it was added may have ended.
    added.add(outbox.traced(message), ordered);
  }
}
