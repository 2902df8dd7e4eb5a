package io.posthorn.core.inbox;

import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.source.Received;
import java.sql.Connection;
import java.util.List;
import java.util.UUID;

/**
 * The receipts of a store, for applications that handle messages without a bus and for the people
 * who operate them.
 */
public interface ReceiptStore {
  /**
   * Writes a receipt in the running transaction. Returns false if there is already one. Fails if
   * the id belongs to another payload, or is too old to be known.
   */
  boolean once(Connection tx, String consumer, Received message);

  /** The receipts of one message: for this consumer, or for {@link Inbox#ALL_CONSUMERS}. */
  List<Receipt> receipts(String consumerOrAll, UUID id);

  /** The receipts that match, newest first. */
  List<Receipt> receipts(ReceiptQuery query, int limit);

  /** The number of receipts that match. */
  long countReceipts(ReceiptQuery query);

  /**
   * Allows handled or skipped messages to be handled again when they arrive again. Works in short
   * steps, and each step is audited.
   *
   * @return how many messages it allows
   */
  long replay(ReceiptQuery query, Actor by);

  /** As above for one message. Returns false if no consumer has handled or skipped it. */
  boolean replay(String consumer, UUID id, Actor by);
}
