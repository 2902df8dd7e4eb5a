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
 * Which lanes a relay should take and which give back, given who is alive.
 *
 * <p>Every relay makes the same plan from the same rows and does its own part of it; that two want
 * the same lane is settled by the database. The plan keeps each lane where it is if it can: a free
 * one goes to the relay that has the fewest lanes of that destination, then the fewest in all; and
 * a lane moves only if that makes the shares of its destination, or else of all, more even. So it
 * is the same plan again once it is carried out, and nothing moves any more.
 *
 * <p>A lane belongs to relays that have code for all of its routes, if there are any: in a rolling
 * deploy the new version takes over what the old one cannot serve. Unless nobody comes for it.
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
   * @param avoided destinations that this relay should leave to any other
   * @param openToAll destinations for which nobody came who should have
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
   * The lanes to take now: those that the plan gives to this relay, and those that nobody has come
   * for.
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

  /** Nobody else would serve it better. */
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

  /** The move that helps most; false if none does. */
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

  /** More than 0 only if the shares are more even afterwards; those of the destination first. */
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

  // ---- who may have a lane ----

  /** Those who should have it; if nobody should, or nobody of them comes, those who can. */
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
