package io.posthorn.core.store;

import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What people said about a destination, and its relay must heed.
 *
 * @param id another one after every change
 * @param paused nothing is sent
 * @param types of which nothing is sent
 * @param keys of which nothing is sent
 * @param ratePerSecond a person's limit; none = the configured one
 */
public record SteeringState(
    UUID id, boolean paused, Set<String> types, Set<Key> keys, @Nullable Double ratePerSecond) {

  /** Nobody said anything. */
  public static final SteeringState NOT =
      new SteeringState(new UUID(0, 0), false, Set.of(), Set.of(), null);

  public boolean pausesType(Message message) {
    return types.contains(message.type());
  }

  public boolean pausesKey(Message message) {
    return message.key() != null && keys.contains(message.key());
  }
}
