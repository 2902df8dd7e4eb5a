package io.posthorn.core.store;

import io.posthorn.core.message.Key;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** What one claim returned, in order. A store adds what it needs to go on from here. */
public interface Batch {
  Lane lane();

  List<Delivery> deliveries();

  /** Keys of this batch that have parked messages before these: they must queue up behind them. */
  Set<Key> blocked();

  /** The database's clock at the claim. */
  Instant claimedAt();

  /** The newest progress that was stored when this was claimed; a settle must find it unchanged. */
  UUID progress();

  /** The seq after which this batch begins: all before it is settled, or in the batch before. */
  long start();

  /** The last seq this batch speaks for; higher than its last message's if others were passed. */
  long end();

  /** The claimed window holds more after this batch: {@link RelayStore#readAhead} gets it. */
  boolean more();
}
