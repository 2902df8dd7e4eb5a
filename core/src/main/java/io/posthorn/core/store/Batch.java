package io.posthorn.core.store;

import io.posthorn.core.message.Key;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** The messages of one claim, in order. A store's own class adds what its next steps need. */
public interface Batch {
  /** The lane that was claimed from. */
  Lane lane();

  /** The messages, in the order of the log. */
  List<Delivery> deliveries();

  /**
   * Keys of this batch with earlier messages that are parked. Later messages must wait for them.
   */
  Set<Key> blocked();

  /** The database's clock at the claim. */
  Instant claimedAt();

  /**
   * The id of the newest progress at the claim. A settle fails if the database has another by then.
   */
  UUID progress();

  /**
   * The seq before the first of this batch. Everything up to it is settled, or in an earlier batch.
   */
  long start();

  /**
   * The last seq that this batch covers. It is above the last message's if messages were skipped.
   */
  long end();

  /** Whether the claimed window holds more messages, which {@link RelayStore#readAhead} returns. */
  boolean more();
}
