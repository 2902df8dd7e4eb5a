package io.posthorn.core.store;

import io.posthorn.core.message.Message;
import java.sql.Connection;
import java.util.List;
import java.util.UUID;

/** The writing side of a store. Nothing here commits, rolls back or closes the connection. */
public interface OutboxStore extends DatabaseErrors {
  /**
   * Stores the messages in the connection's running transaction, in this order, in one round trip.
   *
   * @param cipherKeys the key each payload is encrypted with; an empty string where it is not
   * @param ordered first lock the messages' keys until the transaction ends, so that the order of
   *     the log is the order of the transactions
   */
  void append(Connection tx, List<Message> messages, List<String> cipherKeys, boolean ordered);

  /**
   * Notes this id in the running transaction. Returns false if a committed transaction has noted it
   * before; waits if an open one has.
   */
  boolean note(Connection tx, UUID id);
}
