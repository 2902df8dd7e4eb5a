package io.posthorn.core.inbox;

import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.source.Received;
import java.sql.Connection;
import java.util.List;
import java.util.UUID;

/** The receipts of a store, for applications that handle messages by themselves and for people. */
public interface ReceiptStore {
  /**
   * Writes a receipt in the running transaction; false if there is one. Fails if another payload
   * has it, or if it is too old to be known.
   */
  boolean once(Connection tx, String consumer, Received message);

  /** Those of one message: of this consumer, or of all that are destinations. */
  List<Receipt> receipts(String consumerOrAll, UUID id);

  /** The newest first. */
  List<Receipt> receipts(ReceiptQuery query, int limit);

  long countReceipts(ReceiptQuery query);

  /**
   * Marks what was handled or skipped, so that it is handled when it comes again. In short steps,
   * each audited.
   *
   * @return how many
   */
  long replay(ReceiptQuery query, Actor by);

  /** The same for one message; false if none of it was handled or skipped. */
  boolean replay(String consumer, UUID id, Actor by);
}
