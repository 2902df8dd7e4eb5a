package io.posthorn.core.store;

import java.util.Set;

/**
 * A destination that a relay serves, and the types that its configuration routes there.
 *
 * @param types the types; {@code *} means all. Empty for a consumer that receives from a broker
 * @param start where the destination begins in the log, if it is registered for the first time
 * @param direction IN for a consumer
 */
public record ServedDestination(
    String destination, Set<String> types, Start start, Direction direction) {
  /** Routes every type. */
  public static final String ALL_TYPES = "*";

  /** A destination that sends messages, starting with those committed from now on. */
  public ServedDestination(String destination, Set<String> types) {
    this(destination, types, Start.NOW);
  }

  /** A destination that sends messages. */
  public ServedDestination(String destination, Set<String> types, Start start) {
    this(destination, types, start, Direction.OUT);
  }

  /** Whether messages of this type are routed here. */
  public boolean includes(String type) {
    return types.contains(type) || types.contains(ALL_TYPES);
  }
}
