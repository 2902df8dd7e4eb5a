package io.posthorn.core.operate.steering;

import io.posthorn.core.message.Key;
import org.jspecify.annotations.Nullable;

/**
 * What a pause covers. Pauses are independent of each other: a message that two of them cover is
 * sent only when both are resumed.
 *
 * @param destination null means all destinations, including future ones
 * @param type null means all types
 * @param key a key at the destination; null means all keys
 */
public record Scope(@Nullable String destination, @Nullable String type, @Nullable Key key) {
  /** All messages to all destinations. */
  public static final Scope EVERYTHING = new Scope(null, null, null);

  public Scope {
    if (key != null && (destination == null || type != null)) {
      throw new IllegalArgumentException(
          "a key can only be paused for one destination and all types");
    }
  }

  /** All messages to one destination. */
  public static Scope destination(String destination) {
    return new Scope(destination, null, null);
  }

  /** One type, at all destinations. */
  public static Scope type(String type) {
    return new Scope(null, type, null);
  }

  /** One type, at one destination. */
  public static Scope type(String type, String destination) {
    return new Scope(destination, type, null);
  }

  /** One key, at one destination. */
  public static Scope key(Key key, String destination) {
    return new Scope(destination, null, key);
  }

  /** The scope in words. */
  @Override
  public String toString() {
    String where = destination == null ? "all destinations" : "destination " + destination;
    if (key != null) {
      return "key " + key + " of " + where;
    }
    return type == null ? where : "type " + type + " of " + where;
  }
}
