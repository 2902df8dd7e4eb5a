package io.posthorn.core.store;

import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How people have steered a destination. Its relays obey it.
 *
 * @param id changes with every change of the others
 * @param paused whether the whole destination is paused
 * @param types the types that are paused
 * @param keys the keys that are paused
 * @param ratePerSecond the rate that a person has set; null if the configured one applies
 */
public record SteeringState(
    UUID id, boolean paused, Set<String> types, Set<Key> keys, @Nullable Double ratePerSecond) {

  /** Nothing is paused, and the configured rate applies. */
  public static final SteeringState NOT =
      new SteeringState(new UUID(0, 0), false, Set.of(), Set.of(), null);

  /** Whether the message's type is paused. */
  public boolean pausesType(Message message) {
    return types.contains(message.type());
  }

  /** Whether the message's key is paused. */
  public boolean pausesKey(Message message) {
    return message.key() != null && keys.contains(message.key());
  }
}
