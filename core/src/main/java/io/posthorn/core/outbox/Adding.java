package io.posthorn.core.outbox;

import io.posthorn.core.message.Message;
import java.sql.Connection;

/** Adds messages to a running transaction. */
@FunctionalInterface
public interface Adding {
  /**
   * Adds a message to this connection's transaction.
   *
   * @param ordered whether to lock its key until the transaction ends, as {@link Outbox#addOrdered}
   *     does
   */
  void add(Connection tx, Message message, boolean ordered);

  /** Adds messages to this outbox at once. */
  static Adding to(Outbox outbox) {
    return (tx, message, ordered) -> {
      if (ordered) {
        outbox.addOrdered(tx, message);
      } else {
        outbox.add(tx, message);
      }
    };
  }
}
