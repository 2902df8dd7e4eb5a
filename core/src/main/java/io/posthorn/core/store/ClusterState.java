package io.posthorn.core.store;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The live relays, the lanes and the routes, as one heartbeat read them. */
public record ClusterState(
    List<Member> relays, List<Holding> lanes, List<ServedDestination> routes) {
  /** A live relay and the destinations that it serves. */
  public record Member(UUID id, List<ServedDestination> serves) {
    /** Whether the relay has code for every type of the route. */
    public boolean servesAll(ServedDestination route) {
      return serves.stream()
          .filter(served -> served.destination().equals(route.destination()))
          .anyMatch(served -> route.types().stream().allMatch(served::includes));
    }

    /** Whether the relay has a connector for the destination. */
    public boolean serves(String destination) {
      return serves.stream().anyMatch(served -> served.destination().equals(destination));
    }
  }

  /**
   * A lane and its holder.
   *
   * @param free whether the lane can be taken: it has no holder, or the holder's lease has run out
   */
  public record Holding(String destination, int lane, @Nullable UUID holder, boolean free) {}

  /** All types that any application routes to this destination. */
  public ServedDestination routesTo(String destination) {
    return routes.stream()
        .filter(route -> route.destination().equals(destination))
        .findFirst()
        .orElseGet(() -> new ServedDestination(destination, java.util.Set.of()));
  }
}
