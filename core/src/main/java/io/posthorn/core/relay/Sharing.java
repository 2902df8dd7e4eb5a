package io.posthorn.core.relay;

import io.posthorn.core.store.ClusterState;
import io.posthorn.core.store.ClusterState.Holding;
import io.posthorn.core.store.RelayStore;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * Plans which lanes a relay takes and which it gives back, given which relays are alive.
 *
 * <p>Every relay makes the same plan from the same rows and carries out its own part. If two relays
 * want the same lane, the database gives it to one of them. The plan keeps each lane where it is if
 * it can. A free lane goes to the relay that has the fewest lanes of the destination, then the
 * fewest in all.
 *
 * <p>A lane moves only if the shares of its destination become more even, or, if those stay the
 * same, the shares of all lanes. Once the plan is carried out, the next plan is the same and
 * nothing moves.
 *
 * <p>A lane belongs to the relays that have code for all of its routes, if there are any. So in a
 * rolling deploy the new version takes over what the old version cannot serve. If none of these
 * relays takes the lane, it is open to all relays that serve its destination.
 */
final class Sharing {
  private final UUID self;
  private final ClusterState cluster;
  private final Predicate<String> avoided;
  private final Predicate<String> openToAll;
  private final Map<Holding, UUID> plan = new HashMap<>();
  private final Map<UUID, Integer> lanesOf = new HashMap<>();
  private final Map<UUID, Map<String, Integer>> lanesOfEach = new HashMap<>();

  /**
   * @param avoided destinations that this relay leaves to any other relay
   * @param openToAll destinations whose lanes were not taken by the relays that should have them
   */
  Sharing(UUID self, ClusterState cluster, Predicate<String> avoided, Predicate<String> openToAll) {
    this.self = self;
    this.cluster = cluster;
    this.avoided = avoided;
    this.openToAll = openToAll;
    keep();
    giveOut();
    while (moveOne()) {}
  }

  /**
   * The lanes to take now: those that the plan gives to this relay, and those that no relay
   * claimed.
   *
   * @param unclaimed lanes that have been free for a while
   */
  List<Holding> toTake(Set<Holding> unclaimed) {
    return cluster.lanes().stream()
        .filter(Holding::free)
        .filter(
            lane ->
                self.equals(plan.get(lane))
                    || (unclaimed.contains(lane) && candidates(lane).contains(self)))
        .toList();
  }

  /** The lanes of this relay that the plan gives to another. */
  List<Holding> toGiveBack() {
    return cluster.lanes().stream()
        .filter(lane -> self.equals(lane.holder()))
        .filter(lane -> plan.containsKey(lane) && !self.equals(plan.get(lane)))
        .toList();
  }

  /** Whether this relay serves the lane as well as any other relay. */
  boolean mayKeep(Holding lane) {
    return candidates(lane).contains(self);
  }

  // ---- the plan ----

  private void keep() {
    for (Holding lane : cluster.lanes()) {
      UUID holder = lane.holder();
      if (holder != null && !lane.free() && candidates(lane).contains(holder)) {
        plan(lane, holder);
      }
    }
  }

  private void giveOut() {
    for (Holding lane : cluster.lanes()) {
      if (!plan.containsKey(lane)) {
        candidates(lane).stream().min(fewestLanes(lane)).ifPresent(relay -> plan(lane, relay));
      }
    }
  }

  /** Plans the one move that evens out the shares most; returns false if no move does. */
  private boolean moveOne() {
    Holding best = null;
    UUID to = self;
    long most = 0;
    for (Holding lane : cluster.lanes()) {
      UUID from = plan.get(lane);
      if (from != null) {
        UUID least = candidates(lane).stream().min(fewestLanes(lane)).orElse(from);
        long gain = gain(lane, from, least);
        if (gain > most) {
          best = lane;
          to = least;
          most = gain;
        }
      }
    }
    if (best != null) {
      plan(best, to);
    }
    return best != null;
  }

  /** How much more even the shares become; 0 if they do not. The destination counts before all. */
  private long gain(Holding lane, UUID from, UUID to) {
    String destination = lane.destination();
    int ofDestination = lanes(from, destination) - lanes(to, destination) - 1;
    int ofAll = lanes(from) - lanes(to) - 1;
    boolean better = ofDestination > 0 || (ofDestination == 0 && ofAll > 0);
    return better ? ((long) ofDestination << 32) + Math.max(0, ofAll) : 0;
  }

  private Comparator<UUID> fewestLanes(Holding lane) {
    return Comparator.<UUID>comparingInt(relay -> lanes(relay, lane.destination()))
        .thenComparingInt(this::lanes)
        .thenComparing(Comparator.naturalOrder());
  }

  private void plan(Holding lane, UUID relay) {
    UUID before = plan.put(lane, relay);
    if (before != null) {
      count(before, lane.destination(), -1);
    }
    count(relay, lane.destination(), 1);
  }

  private void count(UUID relay, String destination, int more) {
    lanesOf.merge(relay, more, Integer::sum);
    lanesOfEach
        .computeIfAbsent(relay, id -> new HashMap<>())
        .merge(destination, more, Integer::sum);
  }

  private int lanes(UUID relay) {
    return lanesOf.getOrDefault(relay, 0);
  }

  private int lanes(UUID relay, String destination) {
    return lanesOfEach.getOrDefault(relay, Map.of()).getOrDefault(destination, 0);
  }

  // ---- which relays may have a lane ----

  /**
   * The relays that have code for all routes. If there are none, or they did not take the lane,
   * every relay that serves the destination.
   */
  private List<UUID> candidates(Holding lane) {
    String destination = lane.destination();
    List<UUID> able = new ArrayList<>();
    List<UUID> best = new ArrayList<>();
    for (ClusterState.Member relay : cluster.relays()) {
      if (destination.equals(RelayStore.UNROUTED) || relay.serves(destination)) {
        able.add(relay.id());
        if (relay.servesAll(cluster.routesTo(destination))) {
          best.add(relay.id());
        }
      }
    }
    if (avoided.test(destination) && able.size() > 1) {
      able.remove(self);
      best.remove(self);
    }
    return best.isEmpty() || openToAll.test(destination) ? able : best;
  }
}
