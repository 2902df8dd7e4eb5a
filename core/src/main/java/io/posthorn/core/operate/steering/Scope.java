package io.posthorn.core.operate.steering;

import io.posthorn.core.message.Key;
import org.jspecify.annotations.Nullable;

/**
 * What is paused. Scopes do not know of each other: what two of them pause goes on when both are
 * resumed.
 *
 * @param destination none = all, also those that come later
 * @param type none = all
 * @param key of the destination; none = all
 */
public record Scope(@Nullable String destination, @Nullable String type, @Nullable Key key) {
  public static final Scope EVERYTHING = new Scope(null, null, null);

  public Scope {
    if (key != null && (destination == null || type != null)) {
      throw new IllegalArgumentException("a key is paused for one destination, with all its types");
    }
  }

  public static Scope destination(String destination) {
    return new Scope(destination, null, null);
  }

  /** A type, wherever it goes. */
  public static Scope type(String type) {
    return new Scope(null, type, null);
  }

  public static Scope type(String type, String destination) {
    return new Scope(destination, type, null);
  }

  public static Scope key(Key key, String destination) {
    return new Scope(destination, null, key);
  }

  /** As people say it. */
  @Override
  public String toString() {
    String where = destination == null ? "all destinations" : "destination " + destination;
    if (key != null) {
      return "key " + key + " of " + where;
    }
    return type == null ? where : "type " + type + " of " + where;
  }
}
