package io.posthorn.core.store;

import java.util.Set;

/**
 * A destination that a relay serves, and the types it was configured to route there ({@code *} =
 * all).
 */
public record Serving(String destination, Set<String> types) {
  public static final String ALL_TYPES = "*";

  public boolean includes(String type) {
    return types.contains(type) || types.contains(ALL_TYPES);
  }
}
