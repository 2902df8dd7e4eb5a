package io.posthorn.core.steering;

import io.posthorn.core.audit.By;
import io.posthorn.core.message.Key;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The side of a store for whoever steers deliveries. Every change is audited in the same
 * transaction; false or 0 means that there was nothing to change, and nothing is audited.
 */
public interface SteeringStore {
  List<DestinationStatus> destinations();

  /** Nothing more is sent until it is resumed; what is on its way is finished. */
  boolean pause(String destination, By by);

  boolean resume(String destination, By by);

  /** In place of the configured rate; none = as configured. */
  boolean limit(String destination, @Nullable Double perSecond, By by);

  /** Heads of keys, those that are to go first before others. */
  List<ParkedMessage> parked(String destination, int limit);

  /** Lets what waits for its next attempt be tried at once: of this key, or all. */
  int retryNow(String destination, @Nullable Key key, By by);

  /**
   * Gives a parked message up, scheduled or not; the evidence is a discarded dead letter, and its
   * key goes on. What a relay has in hand at this moment may still be sent.
   */
  boolean skip(String destination, UUID message, By by);

  /** Lets a key go on that is held by a dead letter, which stays as it is. */
  boolean release(String destination, Key key, By by);
}
