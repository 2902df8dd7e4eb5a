package io.posthorn.core.inbox;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.source.Received;
import io.posthorn.core.store.DatabaseErrors;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;

/**
 * The receiving side of a store. Every method works in the connection's running transaction, and
 * never commits, rolls back or closes it.
 *
 * <p>Any isolation level works. Above READ COMMITTED, two transactions that receive the same
 * message at the same time may get a serialization failure; repeat the transaction then.
 */
public interface InboxStore extends DatabaseErrors {
  /**
   * Writes receipts for messages that arrive from a source, in one round trip. Messages that must
   * not be handled now are parked or buried; see {@link InboxVerdict}. The call waits while another
   * transaction is handling one of the messages.
   */
  InboxResult receive(Connection tx, Consumer consumer, List<Received> messages);

  /**
   * Writes receipts for messages that a relay hands over from the log or from the parked messages:
   * they are stored, but not handled yet. The relay parks and buries messages, so this method does
   * not. A message that was already handled is DUPLICATE. A message whose id belongs to another
   * payload is DEAD, and the caller must tell the relay.
   */
  List<InboxVerdict> handle(Connection tx, Consumer consumer, List<Received> messages);

  /**
   * Stores messages with their receipts, without handling them, in one round trip. A relay hands
   * them over later. Messages that were already stored or handled are skipped.
   */
  InboxResult store(Connection tx, Consumer consumer, List<Received> messages);

  /**
   * Parks a message whose handler failed, unless it was stored or handled elsewhere meanwhile.
   *
   * @param attempts 1, or 0 if the message may not be at fault
   */
  InboxResult park(
      Connection tx,
      Consumer consumer,
      Received message,
      Reason reason,
      Duration delay,
      int attempts);

  /**
   * Parks a message that this program has no handler for, or whose version its handler cannot read,
   * until a program runs that can handle it.
   */
  InboxResult parkUnserved(Connection tx, Consumer consumer, Received message, Reason reason);

  /** Makes a dead letter of a message that its handler rejected. */
  InboxResult bury(Connection tx, Consumer consumer, Received message, Reason reason);

  /**
   * Allows the transaction of a guarded consumer to commit. Until this call the database refuses
   * every COMMIT of a transaction in which a message was to be handled.
   *
   * <p>The call fails if this is not the transaction in which {@link #receive} or {@link #handle}
   * wrote, because a handler has ended that transaction.
   */
  void seal(Connection tx);
}
