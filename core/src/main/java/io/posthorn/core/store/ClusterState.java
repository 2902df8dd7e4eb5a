package io.posthorn.core.store;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Who is alive and who holds what, as one heartbeat saw it. */
public record ClusterState(
    List<Member> relays, List<Holding> lanes, List<ServedDestination> routes) {
  /** A live relay. */
  public record Member(UUID id, List<ServedDestination> serves) {
    public boolean servesAll(ServedDestination route) {
      return serves.stream()
          .filter(mine -> mine.destination().equals(route.destination()))
          .anyMatch(mine -> route.types().stream().allMatch(mine::includes));
    }

    public boolean serves(String destination) {
      return serves.stream().anyMatch(mine -> mine.destination().equals(destination));
    }
  }

  /** A lane and its holder; {@code free} if it has none, or one whose lease has run out. */
  public record Holding(String destination, int lane, @Nullable UUID holder, boolean free) {}

  /** The types that all applications together route to a destination. */
  public ServedDestination routesTo(String destination) {
    return routes.stream()
        .filter(route -> route.destination().equals(destination))
        .findFirst()
        .orElseGet(() -> new ServedDestination(destination, java.util.Set.of()));
  }
}
