package io.posthorn.core.store;

import java.util.Set;

/**
 * A destination that a relay serves, and the types it was configured to route there ({@code *} =
 * all).
 *
 * @param start where the destination begins if nobody has registered it before
 */
public record Serving(String destination, Set<String> types, Start start) {
  public static final String ALL_TYPES = "*";

  public Serving(String destination, Set<String> types) {
    this(destination, types, Start.NOW);
  }

  public boolean includes(String type) {
    return types.contains(type) || types.contains(ALL_TYPES);
  }
}
