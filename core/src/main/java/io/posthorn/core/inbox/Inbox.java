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
 * Receipts of what was handled. A subscription writes them by itself; whoever handles requests or
 * messages in a way of their own asks {@link #once} first, in the transaction that handles them.
 */
public final class Inbox {
  /** Of what did not come from a sender with a name. */
  public static final String NO_SENDER = "";

  /** Every consumer that is a destination. */
  public static final String ALL_CONSUMERS = "*";

  private static final byte[] NO_PAYLOAD = {};

  private final ReceiptStore store;

  private Inbox(ReceiptStore store) {
    this.store = store;
  }

  public static Inbox on(ReceiptStore store) {
    return new Inbox(store);
  }

  /**
   * Whether this is the first time that the consumer sees this id, of any kind: a request number, a
   * message id. If so, it is noted in the running transaction: roll back, and it never was. Waits a
   * moment if another transaction has just asked the same.
   */
  public boolean once(Connection tx, String consumer, String id) {
    return once(tx, consumer, id, NO_PAYLOAD);
  }

  /** The same, and fails if the id was used for another payload. */
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
          "'%s' was not noted by '%s': the connection does not answer. See the cause."
              .formatted(id, consumer),
          e);
    }
    if (autoCommit) {
      throw new PosthornException(
          ErrorCode.NO_TRANSACTION,
          "'%s' was not noted by '%s': the connection is in auto-commit mode, so it would count as handled even if your own change is rolled back. Call setAutoCommit(false) before your first statement, or pass the connection of the running transaction."
              .formatted(id, consumer));
    }
  }

  /** The receipts of one message: of this consumer, or of {@link #ALL_CONSUMERS}. */
  public List<Receipt> find(String consumer, UUID id) {
    return store.receipts(consumer, id);
  }

  /** The newest first. */
  public List<Receipt> list(ReceiptQuery query, int limit) {
    return store.receipts(query, limit);
  }

  public long count(ReceiptQuery query) {
    return store.countReceipts(query);
  }

  /**
   * Lets these be handled again when they come again, though they were handled or skipped; returns
   * how many. It sends nothing: let the sender or the broker repeat them.
   */
  public long replay(ReceiptQuery query, Actor by) {
    return store.replay(query, by);
  }

  /** One message; false if it was neither handled nor skipped. */
  public boolean replay(String consumer, UUID id, Actor by) {
    return store.replay(consumer, id, by);
  }
}
