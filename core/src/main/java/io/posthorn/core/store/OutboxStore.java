package io.posthorn.core.store;

import io.posthorn.core.message.Message;
import java.sql.Connection;
import java.util.List;
import java.util.UUID;

/** The writing side of a store. It never commits, rolls back or closes the connection. */
public interface OutboxStore extends DatabaseErrors {
  /**
   * Stores the messages in the connection's running transaction, in this order, with one round
   * trip.
   *
   * @param cipherKeys for each message, the id of the key that its payload is encrypted with; an
   *     empty string if it is not encrypted
   * @param ordered whether to lock the messages' keys first, until the transaction ends. The order
   *     of the log is then the order of the transactions
   */
  void append(Connection tx, List<Message> messages, List<String> cipherKeys, boolean ordered);

  /**
   * Records this id in the running transaction. Returns false if a committed transaction has
   * already recorded it; waits while an open transaction has.
   */
  boolean note(Connection tx, UUID id);
}
