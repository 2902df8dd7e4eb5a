package io.posthorn.core.store;

import java.util.Set;

/**
 * A destination that a relay serves, and the types it was configured to route there ({@code *} =
 * all).
 *
 * @param types none for a consumer that a broker feeds
 * @param start where the destination begins if nobody has registered it before
 * @param direction IN for a consumer
 */
public record ServedDestination(
    String destination, Set<String> types, Start start, Direction direction) {
  public static final String ALL_TYPES = "*";

  public ServedDestination(String destination, Set<String> types) {
    this(destination, types, Start.NOW);
  }

  public ServedDestination(String destination, Set<String> types, Start start) {
    this(destination, types, start, Direction.OUT);
  }

  public boolean includes(String type) {
    return types.contains(type) || types.contains(ALL_TYPES);
  }
}
