package io.posthorn.core.inbox;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageIds;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.source.Received;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

/**
 * Makes sure that a request or a message takes effect once. Call {@link #once} in the transaction
 * that handles it, before you handle it: the receipt and your changes commit or roll back together.
 *
 * <p>Subscriptions of a bus write their receipts themselves. With this class you also look at
 * receipts, and allow handled messages to be handled again.
 */
public final class Inbox {
  /** The sender of requests and messages that name no sender. */
  public static final String NO_SENDER = "";

  /** Stands for all consumers that are registered as destinations. */
  public static final String ALL_CONSUMERS = "*";

  private static final byte[] NO_PAYLOAD = {};

  private final ReceiptStore store;

  private Inbox(ReceiptStore store) {
    this.store = store;
  }

  /** An inbox in this store. */
  public static Inbox on(ReceiptStore store) {
    return new Inbox(store);
  }

  /**
   * Records that the consumer has seen this id, and returns whether it is the first time. The id
   * can be any text, for example a request number or a message id.
   *
   * <p>The record belongs to the running transaction and vanishes if you roll back. If another open
   * transaction has recorded the same id, this call waits for it.
   *
   * @throws PosthornException if no transaction is running, or the id is too old to be known
   */
  public boolean once(Connection tx, String consumer, String id) {
    return once(tx, consumer, id, NO_PAYLOAD);
  }

  /** As {@link #once(Connection, String, String)}; also fails if the id had another payload. */
  public boolean once(Connection tx, String consumer, String id, byte[] payload) {
    requireTransaction(tx, consumer, id);
    Message message = Message.of("Request").id(MessageIds.of(NO_SENDER, id)).json(payload).build();
    return store.once(tx, consumer, new Received(NO_SENDER, message));
  }

  private static void requireTransaction(Connection tx, String consumer, String id) {
    boolean autoCommit;
    try {
      autoCommit = tx.getAutoCommit();
    } catch (SQLException e) {
      throw new PosthornException(
          ErrorCode.NO_TRANSACTION,
          "'%s' was not recorded for consumer '%s': the connection could not report whether a transaction is running. See the cause."
              .formatted(id, consumer),
          e);
    }
    if (autoCommit) {
      throw new PosthornException(
          ErrorCode.NO_TRANSACTION,
          "'%s' was not recorded for consumer '%s': the connection is in auto-commit mode, so it would count as handled even if your own change is rolled back. Call setAutoCommit(false) before your first statement, or pass the connection of the running transaction."
              .formatted(id, consumer));
    }
  }

  /** The receipts of one message for this consumer, or for {@link #ALL_CONSUMERS}. */
  public List<Receipt> find(String consumer, UUID id) {
    return store.receipts(consumer, id);
  }

  /** The receipts that match, newest first. */
  public List<Receipt> list(ReceiptQuery query, int limit) {
    return store.receipts(query, limit);
  }

  /** The number of receipts that match. */
  public long count(ReceiptQuery query) {
    return store.countReceipts(query);
  }

  /**
   * Allows these messages to be handled again when they arrive again, although they were handled or
   * skipped. This call sends nothing: have the sender or the broker repeat them.
   *
   * @return how many messages it allows
   */
  public long replay(ReceiptQuery query, Actor by) {
    return store.replay(query, by);
  }

  /** As above for one message. Returns false if it was neither handled nor skipped. */
  public boolean replay(String consumer, UUID id, Actor by) {
    return store.replay(consumer, id, by);
  }
}
