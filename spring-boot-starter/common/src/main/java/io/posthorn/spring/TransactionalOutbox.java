package io.posthorn.spring;

import io.posthorn.core.bus.Handling;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.OutboxMessage;
import io.posthorn.core.outbox.MessageDraft;
import io.posthorn.core.outbox.Outbox;

/**
 * The outbox in the running Spring transaction ({@code @Transactional} or {@code
 * TransactionTemplate}), with JDBC or JPA. Adding fails at once outside a transaction, in a
 * read-only one, or in one of another DataSource.
 *
 * <p>All messages of a transaction are written together right before the commit, after Hibernate's
 * flush, in the order in which they were added. Errors from the database therefore appear at the
 * commit; everything that can be checked earlier is checked at once. After the commit, this
 * program's relay is woken.
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

  /**
   * Adds the message of an event: a record, an object of a class with {@link OutboxMessage}, or one
   * whose class is registered for a type.
   */
  public void add(Object event) {
    add(messageOf(event), false);
  }

  /** Starts the message of an event, for you to complete; {@link MessageDraft#add} adds it. */
  public MessageDraft message(Object event) {
    return new MessageDraft(
        events.startOf(event), (draft, ordered) -> add(Handling.following(draft), ordered));
  }

  /**
   * Adds a message after locking its key until the transaction ends. Use it if the transaction does
   * not write the aggregate itself: otherwise two concurrent transactions about one aggregate may
   * store their messages in the wrong order. The keys of all other messages in this transaction are
   * locked too, at most 1,000.
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
    // Captures the trace now, because the current span may have ended by the commit.
    added.addChecked(outbox.traced(message), ordered);
  }
}
