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
 * The lanes a relay works on. It takes lanes, gives them back so that other relays get their share,
 * and gives up lanes that hang. Called on the relay's own thread; only a lane that ends calls back
 * on its own thread.
 */
final class OwnLanes {
  private static final Logger LOG = LoggerFactory.getLogger(RelayThread.class);

  /** A destination that does not answer this relay is left to other relays for this time. */
  private static final long AVOID = Duration.ofSeconds(30).toNanos();

  /** A lane that failed is not taken again for this time, which doubles with each failure. */
  private static final long FAILED_PAUSE = Duration.ofSeconds(1).toNanos();

  /** Any relay may take a lane that has been free for this time, even beyond its share. */
  private static final long UNCLAIMED_AFTER = Duration.ofSeconds(2).toNanos();

  /** A relay that took a lane beyond its share keeps it for at least this time. */
  private static final long KEEP = Duration.ofSeconds(60).toNanos();

  private static final long LONGEST_PAUSE = Duration.ofSeconds(10).toNanos();

  private final RelayContext context;
  private final String relay;
  private final Map<String, Destination> destinations;
  private final UnroutedWatch unrouted;
  private final LaneLoop.OnIdle onIdle;
  private final Map<LaneId, LaneLoop> loops = new ConcurrentHashMap<>();
  private final Map<String, LaneShare> shares = new HashMap<>();
  private final Map<String, Long> avoidUntil = new ConcurrentHashMap<>();
  private final Map<String, Long> pauses = new ConcurrentHashMap<>();
  private final Set<LaneLoop> stuck = ConcurrentHashMap.newKeySet();
  private final Map<LaneLoop, Long> hanging = new HashMap<>();
  private final Set<LaneId> heldWithoutLoop = new HashSet<>();
  private boolean takeFailed;
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

  /** Whether this relay may take a free lane of this destination. */
  boolean mayTake(String destination) {
    return !isAvoided(destination) && !isStuck(destination);
  }

  /**
   * Gives up lanes that hang: their thread has not returned from the connector, or a store call
   * waits on a connection that died silently. Without this, the heartbeat of this thread would keep
   * such a lane for ever. This relay does not take the lane again until its connector returns.
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
      // After a pause of the whole program all lanes look stuck, so each gets a second chance.
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
          // The lane has just ended by itself, so no later call would remove it from this set.
          stuck.remove(loop);
          continue;
        }
        loop.abandon(inStore ? "the database does not answer" : "its connector hangs");
        // Otherwise this relay, which holds one lane less now, would be the first to take it again.
        avoidUntil.put(loop.lane().destination(), now + pause(loop));
        // On this thread, since the store threads may be the ones that hang.
        releaseQuietly(loop.lane());
      }
    }
  }

  /** Takes and gives back lanes, given which relays are alive. */
  void share(RelayIdentity self, Lease lease, ClusterState cluster) {
    takeFailed = false;
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
            .log("Relay '{}' gives lane {} back for another relay", relay, loop.lane());
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

  /** How many relays were alive when lanes were last shared. */
  int relays() {
    return relays;
  }

  /**
   * Whether this relay may hold a lane in the database on which no thread here works, so that lanes
   * must be shared again soon: no relay sends the messages of such a lane.
   */
  boolean mayHoldWithoutLoop() {
    return takeFailed || !heldWithoutLoop.isEmpty();
  }

  /**
   * Whether this relay took the lane recently because no other relay came for it. Given back now,
   * it would be taken again, and so on in circles.
   */
  private boolean isKept(ClusterState.Holding lane) {
    Long until = keptUntil.get(LaneId.of(lane));
    return until != null && until - now() > 0 && !isAvoided(lane.destination());
  }

  /** Lanes that have been free for so long that any relay may take them. */
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

  /**
   * Remembers since when each lane is free. If a lane is free for half a lease, the relays that
   * should have it do not come, and its destination is open to all relays for a while.
   */
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

  /** Takes this lane. Logs a failure, so that the other lanes are taken all the same. */
  private void take(ClusterState.Holding lane, RelayIdentity self, Lease lease) {
    String destination = lane.destination();
    if (worksOn(LaneId.of(lane)) || isStuck(destination)) {
      return;
    }
    try {
      context.store().take(self, destination, lane.lane()).ifPresent(taken -> taken(taken, lease));
    } catch (PosthornException e) {
      takeFailed = true;
      log(Level.WARN)
          .addKeyValue(LogFields.DESTINATION, destination)
          .log("Relay '{}': {}", relay, e.getMessage());
    }
  }

  /**
   * Takes lanes again that belong to this relay in the database although no thread here works on
   * them: the answer to a take or to a release was lost. The lane gets a new token. It must be
   * found twice in a row, since it may have been given back just now.
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

  /** Whether a lane of this destination hangs. All its lanes use the same connector. */
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
      throw new IllegalStateException(
          "this relay took a lane of a destination that it does not serve: " + lane);
    }
    LaneShare share =
        shares.computeIfAbsent(lane.destination(), name -> new LaneShare(destination, now()));
    LaneLoop loop = new LaneLoop(context, lease, destination, share, lane, onIdle, this::ended);
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
    // The opposite order of giveUpHanging, so that the lane does not stay in the set of stuck
    // lanes.
    loops.remove(LaneId.of(loop.lane()), loop);
    stuck.remove(loop);
    if (loop.failed()) {
      avoidUntil.put(loop.lane().destination(), now() + pause(loop));
    }
    if (!loop.released() && !draining) {
      context.storeThreads().execute(() -> releaseQuietly(loop.lane()));
    }
  }

  /** For how long a lane that failed is avoided. */
  private long pause(LaneLoop loop) {
    if (now() - loop.takenAt() > LONGEST_PAUSE) {
      pauses.remove(loop.lane().destination());
    }
    return pauses.merge(
        loop.lane().destination(),
        FAILED_PAUSE,
        (before, first) -> Math.min(2 * before, LONGEST_PAUSE));
  }

  /** Frees the lane in the database. If it has a new owner and token, this changes nothing. */
  private void releaseQuietly(Lane lane) {
    try {
      context.store().release(lane);
    } catch (PosthornException e) {
      log(Level.WARN)
          .addKeyValue(LogFields.DESTINATION, lane.destination())
          .log(
              "Lane {} was not given back; it is free when the lease ends: {}",
              lane,
              e.getMessage());
    }
  }

  private LoggingEventBuilder log(Level level) {
    return LOG.atLevel(level).addKeyValue(LogFields.RELAY, relay);
  }

  private long now() {
    return context.ticker().nanoTime();
  }
}
