package io.posthorn.core.relay;

import io.posthorn.core.error.PosthornException;
import io.posthorn.core.error.Sanitiser;
import io.posthorn.core.observe.Event;
import io.posthorn.core.store.ClusterState;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.RelayIdentity;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.trace.LogFields;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The lanes a relay works on: which it takes, which it gives back, which it gives up. Called on the
 * relay's own thread; a lane that ends tells so on its own.
 */
final class OwnLanes {
  private static final Logger LOG = LoggerFactory.getLogger(RelayThread.class);

  private static final long AVOID = Duration.ofSeconds(30).toNanos();

  /** A lane that failed is left alone for so long; twice as long each time, if it fails again. */
  private static final long FAILED_PAUSE = Duration.ofSeconds(1).toNanos();

  /** A free lane for which no other relay has come for so long is anybody's. */
  private static final long UNCLAIMED_AFTER = Duration.ofSeconds(2).toNanos();

  /** So long a lane is kept that nobody else came for. */
  private static final long KEEP = Duration.ofSeconds(60).toNanos();

  private static final long LONGEST_PAUSE = Duration.ofSeconds(10).toNanos();

  private final RelayContext context;
  private final String relay;
  private final Map<String, Destination> destinations;
  private final UnroutedWatch unrouted;
  private final LaneLoop.OnIdle onIdle;
  private final Map<LaneId, LaneLoop> loops = new ConcurrentHashMap<>();
  private final Map<String, Long> avoidUntil = new ConcurrentHashMap<>();
  private final Map<String, Long> pauses = new ConcurrentHashMap<>();
  private final Set<LaneLoop> stuck = ConcurrentHashMap.newKeySet();
  private final Map<LaneLoop, Long> hanging = new HashMap<>();
  private final Set<LaneId> heldWithoutLoop = new HashSet<>();
  private final Map<ClusterState.Holding, Long> freeSince = new HashMap<>();
  private final Map<LaneId, Long> keptUntil = new HashMap<>();
  private final Map<String, Long> openToAllUntil = new HashMap<>();
  private int relays;
  private volatile boolean draining;

  OwnLanes(
      RelayContext context,
      String relay,
      Map<String, Destination> destinations,
      UnroutedWatch unrouted,
      LaneLoop.OnIdle onIdle) {
    this.context = context;
    this.relay = relay;
    this.destinations = destinations;
    this.unrouted = unrouted;
    this.onIdle = onIdle;
  }

  List<LaneLoop> all() {
    return List.copyOf(loops.values());
  }

  void wakeParked(String destination) {
    for (LaneLoop loop : loops.values()) {
      if (loop.lane().destination().equals(destination)) {
        loop.wakeParked();
      }
    }
  }

  void drain() {
    draining = true;
    loops.values().forEach(LaneLoop::drain);
  }

  void abandon(String why) {
    loops.values().forEach(loop -> loop.abandon(why));
  }

  /** A lane that is free now could become this relay's. */
  boolean mayTake(String destination) {
    return !isAvoided(destination) && !isStuck(destination);
  }

  /**
   * A lane that no longer turns round is stuck in its connector; or it waits for a connection that
   * went dead in silence. This thread must not keep it alive: the lane is given up, and stays so
   * here until the connector lets go.
   */
  void giveUpHanging(long now) {
    long longest = context.config().lease().toNanos() / 2;
    Map<LaneLoop, Long> before = Map.copyOf(hanging);
    hanging.clear();
    for (LaneLoop loop : List.copyOf(loops.values())) {
      long waitsSince = loop.waitsForStoreSince(now);
      boolean inStore = waitsSince - loop.lastRoundAt() < 0;
      long since = inStore ? waitsSince : loop.lastRoundAt();
      if (now - since > longest) {
        hanging.put(loop, since);
      }
      // After a pause of the whole program all lanes look stuck, so each gets another round.
      if (now - since > longest && Long.valueOf(since).equals(before.get(loop))) {
        log(Level.ERROR)
            .addKeyValue(LogFields.DESTINATION, loop.lane().destination())
            .log(
                "Relay '{}' gives up lane {}: {} for {} s",
                relay,
                loop.lane(),
                inStore
                    ? "the database has not answered"
                    : "its connector has not returned from send",
                Duration.ofNanos(now - since).toSeconds());
        stuck.add(loop);
        if (!loops.remove(LaneId.of(loop.lane()), loop)) {
          // It has just ended by itself, and nobody else would take it off this list.
          stuck.remove(loop);
          continue;
        }
        loop.abandon(inStore ? "the database does not answer it" : "its connector is stuck");
        // Here and now: the threads for the store may be the ones that hang.
        releaseQuietly(loop.lane());
      }
    }
  }

  /** Takes and gives back lanes, given who is alive. */
  void share(RelayIdentity self, Lease lease, ClusterState cluster) {
    for (LaneLoop loop : loops.values()) {
      if (loop.unreachable()) {
        avoidUntil.put(loop.lane().destination(), now() + AVOID);
      }
    }
    Sharing sharing = new Sharing(self.id(), cluster, this::isAvoided, this::isOpenToAll);
    for (ClusterState.Holding lane : sharing.toGiveBack()) {
      LaneLoop loop = loops.get(LaneId.of(lane));
      if (isKept(lane) && sharing.mayKeep(lane)) {
        continue;
      }
      if (loop != null) {
        log(Level.INFO)
            .addKeyValue(LogFields.DESTINATION, lane.destination())
            .log("Relay '{}' gives lane {} to another relay", relay, loop.lane());
        loop.drain();
      } else if (lane.destination().equals(RelayStore.UNROUTED)) {
        unrouted.release();
      }
    }
    Set<ClusterState.Holding> unclaimed = unclaimed();
    for (ClusterState.Holding lane : sharing.toTake(unclaimed)) {
      if (unclaimed.contains(lane)) {
        keptUntil.put(LaneId.of(lane), now() + KEEP);
      }
      take(lane, self, lease);
    }
    takeHeldWithoutLoop(cluster, self, lease);
    rememberFreeLanes(cluster);
    relays = cluster.relays().size();
  }

  /** How many relays were alive when the lanes were shared out last. */
  int relays() {
    return relays;
  }

  /**
   * Nobody came for it, so it is not offered again soon: it would be taken and given in circles.
   */
  private boolean isKept(ClusterState.Holding lane) {
    Long until = keptUntil.get(LaneId.of(lane));
    return until != null && until - now() > 0 && !isAvoided(lane.destination());
  }

  private Set<ClusterState.Holding> unclaimed() {
    Set<ClusterState.Holding> lanes = new HashSet<>();
    freeSince.forEach(
        (lane, since) -> {
          if (now() - since > UNCLAIMED_AFTER) {
            lanes.add(lane);
          }
        });
    return lanes;
  }

  /** Which lanes are free, and which have been for so long that nobody seems to want them. */
  private void rememberFreeLanes(ClusterState cluster) {
    Set<ClusterState.Holding> free = new HashSet<>();
    long lease = context.config().lease().toNanos();
    for (ClusterState.Holding lane : cluster.lanes()) {
      if (lane.free()) {
        free.add(lane);
        long since = freeSince.computeIfAbsent(lane, name -> now());
        if (now() - since > lease / 2) {
          openToAllUntil.put(lane.destination(), now() + 10 * lease);
        }
      }
    }
    freeSince.keySet().retainAll(free);
  }

  private boolean isOpenToAll(String destination) {
    Long until = openToAllUntil.get(destination);
    return until != null && until - now() > 0;
  }

  /** One lane that cannot be taken now must not keep this relay from the others. */
  private void take(ClusterState.Holding lane, RelayIdentity self, Lease lease) {
    String destination = lane.destination();
    if (worksOn(LaneId.of(lane)) || isStuck(destination)) {
      return;
    }
    try {
      context.store().take(self, destination, lane.lane()).ifPresent(taken -> taken(taken, lease));
    } catch (PosthornException e) {
      log(Level.WARN)
          .addKeyValue(LogFields.DESTINATION, destination)
          .log("Relay '{}': {}", relay, e.getMessage());
    }
  }

  /**
   * By the database a lane may be this relay's, and nobody here works on it: the answer to a take,
   * or the release, was lost. Taking it again gives it a new token. Only after a second look: it
   * may have been given back just now.
   */
  private void takeHeldWithoutLoop(ClusterState cluster, RelayIdentity self, Lease lease) {
    Set<LaneId> before = Set.copyOf(heldWithoutLoop);
    heldWithoutLoop.clear();
    for (ClusterState.Holding lane : cluster.lanes()) {
      LaneId name = LaneId.of(lane);
      boolean mine = self.id().equals(lane.holder());
      if (mine && !worksOn(name) && !isAvoided(lane.destination())) {
        heldWithoutLoop.add(name);
        if (before.contains(name)) {
          take(lane, self, lease);
        }
      }
    }
  }

  private boolean worksOn(LaneId lane) {
    return loops.containsKey(lane)
        || (lane.destination().equals(RelayStore.UNROUTED) && unrouted.holds());
  }

  /** A connector does not return from one of the destination's lanes, which all use it. */
  private boolean isStuck(String destination) {
    return stuck.stream().anyMatch(loop -> loop.lane().destination().equals(destination));
  }

  private boolean isAvoided(String destination) {
    Long until = avoidUntil.get(destination);
    return until != null && until - now() > 0;
  }

  private void taken(Lane lane, Lease lease) {
    if (lane.destination().equals(RelayStore.UNROUTED)) {
      unrouted.taken(lane);
      return;
    }
    Destination destination = destinations.get(lane.destination());
    if (destination == null) {
      throw new IllegalStateException("took a lane nobody here serves: " + lane);
    }
    LaneLoop loop = new LaneLoop(context, lease, destination, lane, onIdle, this::ended);
    loops.put(LaneId.of(lane), loop);
    context.observer().on(new Event.LaneTaken(lane.destination()));
    String number = lane.number() == 0 ? "" : "-" + lane.number();
    Thread thread = new Thread(loop, "posthorn-" + relay + "-" + lane.destination() + number);
    thread.setDaemon(true);
    try {
      thread.start();
    } catch (Error e) {
      context.observer().on(new Event.LaneLost(lane.destination(), Sanitiser.text(e)));
      loops.remove(LaneId.of(lane), loop);
      releaseQuietly(lane);
      throw e;
    }
  }

  private void ended(LaneLoop loop) {
    // In this order, the opposite of that in which it is given up.
    loops.remove(LaneId.of(loop.lane()), loop);
    stuck.remove(loop);
    if (loop.failed()) {
      avoidUntil.put(loop.lane().destination(), now() + pause(loop));
    }
    if (!loop.released() && !draining) {
      context.storeThreads().execute(() -> releaseQuietly(loop.lane()));
    }
  }

  private long pause(LaneLoop loop) {
    if (now() - loop.takenAt() > LONGEST_PAUSE) {
      pauses.remove(loop.lane().destination());
    }
    return pauses.merge(
        loop.lane().destination(),
        FAILED_PAUSE,
        (before, first) -> Math.min(2 * before, LONGEST_PAUSE));
  }

  /** If the lane has a new holder, its token is another and this changes nothing. */
  private void releaseQuietly(Lane lane) {
    try {
      context.store().release(lane);
    } catch (PosthornException e) {
      log(Level.WARN)
          .addKeyValue(LogFields.DESTINATION, lane.destination())
          .log("Lane {} is free when the lease ends: {}", lane, e.getMessage());
    }
  }

  private LoggingEventBuilder log(Level level) {
    return LOG.atLevel(level).addKeyValue(LogFields.RELAY, relay);
  }

  private long now() {
    return context.ticker().nanoTime();
  }
}
