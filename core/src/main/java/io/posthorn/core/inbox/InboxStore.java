package io.posthorn.core.inbox;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.source.Received;
import io.posthorn.core.store.DatabaseErrors;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;

/**
 * The receiving side of a store. Everything happens in the connection's running transaction;
 * nothing here commits, rolls back or closes it. Any isolation level will do; above READ COMMITTED
 * two that receive one message at the same time may get a serialization failure, after which the
 * transaction is to be done again.
 */
public interface InboxStore extends DatabaseErrors {
  /**
   * Writes receipts for messages that come from a source, in one round trip, and puts away what
   * must not be handled now: see {@link InboxVerdict}. Waits if another transaction is handling one
   * of them.
   */
  InboxResult receive(Connection tx, Consumer consumer, List<Received> messages);

  /**
   * The same for messages that a relay hands over, from the log or from the parked ones: stored
   * before, but not handled. Parks and buries nothing: that is the relay's business. One that was
   * handled already is DUPLICATE; whose id another payload has is DEAD, and the relay is to be told
   * so.
   */
  List<InboxVerdict> handle(Connection tx, Consumer consumer, List<Received> messages);

  /**
   * Stores messages without handling them, each with its receipt, in one round trip; a relay hands
   * them over. One that is stored or was handled already is passed over.
   */
  InboxResult store(Connection tx, Consumer consumer, List<Received> messages);

  /** Parks a message whose handler failed, unless somebody else has stored or handled it. */
  InboxResult park(
      Connection tx, Consumer consumer, Received message, Reason reason, Duration delay);

  /** Parks a message that this program has no handler for, until a program that has one runs. */
  InboxResult parkUnserved(Connection tx, Consumer consumer, Received message);

  /** Makes a dead letter of a message that the handler rejected. */
  InboxResult bury(Connection tx, Consumer consumer, Received message, Reason reason);

  /**
   * Lets the transaction of a guarded consumer be committed, in which a message was to be handled.
   * Before, the database refuses a COMMIT, whoever sends it. Fails if this is not the transaction
   * in which {@link #receive} or {@link #handle} wrote: a handler has ended that one.
   */
  void seal(Connection tx);
}
