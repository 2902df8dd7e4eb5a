package io.posthorn.core.relay;

import io.posthorn.core.error.PosthornException;
import io.posthorn.core.error.Sanitiser;
import io.posthorn.core.observe.SafeObserver;
import io.posthorn.core.store.ClusterState;
import io.posthorn.core.store.RelayIdentity;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.core.store.Start;
import io.posthorn.core.trace.LogFields;
import io.posthorn.core.trace.SafeTracing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The relay's own thread. It renews the lease, shares the lanes with other relays, and checks the
 * log for new messages on behalf of all lanes.
 */
final class RelayThread implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(RelayThread.class);

  private static final long FAILED_PAUSE = Duration.ofSeconds(1).toNanos();

  private final Relay.Builder relay;
  private final Map<String, Destination> destinations = new LinkedHashMap<>();
  private final List<ServedDestination> served = new ArrayList<>();
  private final ExecutorService storeThreads;
  private final RelayContext context;
  private final UnroutedWatch unrouted;
  private final OperationWatch operations;
  private final OwnLanes lanes;
  private final Lookout lookout;
  private @Nullable Thread thread;

  private RelayIdentity identity;
  private Lease lease;
  private long beatAt;
  private boolean beatFailed;
  private volatile boolean stopping;
  private long stopAt;

  RelayThread(Relay.Builder relay) {
    this.relay = relay;
    for (Destination destination : relay.destinations) {
      destinations.put(destination.name(), destination);
      served.add(destination.served());
    }
    this.storeThreads = newThreads(relay.name, relay.config.storeThreads());
    this.context =
        new RelayContext(
            relay.store,
            relay.config,
            storeThreads,
            new ConnectorChecks(),
            new WarnOncePerMinute(relay.ticker),
            relay.ticker,
            relay.random,
            SafeObserver.logging(relay.observer),
            SafeTracing.of(relay.tracing),
            relay.cipher,
            relay.classifier);
    this.identity = newIdentity();
    this.lease = new Lease(relay.ticker.nanoTime());
    this.unrouted = new UnroutedWatch(context, new Housekeeping(context, relay.archive));
    this.operations = new OperationWatch(context, this::unpark);
    this.lanes = new OwnLanes(context, relay.name, destinations, unrouted, this::laneIdle);
    this.lookout =
        new Lookout(context, destinations.keySet(), lanes, unrouted, operations, this::unpark);
  }

  private RelayIdentity newIdentity() {
    return new RelayIdentity(UUID.randomUUID(), relay.name, relay.application);
  }

  private static ExecutorService newThreads(String name, int count) {
    AtomicInteger number = new AtomicInteger();
    return Executors.newFixedThreadPool(
        count,
        task -> {
          Thread thread =
              new Thread(task, "posthorn-" + name + "-store-" + number.incrementAndGet());
          thread.setDaemon(true);
          return thread;
        });
  }

  void start() {
    relay.store.checkRetention(relay.config.retentionTimes());
    relay.store.verify(relay.environment);
    join(served);
    long now = now();
    beatAt = now;
    lookout.start(now);
    Thread started = new Thread(this, "posthorn-" + relay.name);
    started.setDaemon(true);
    thread = started;
    started.start();
    log(Level.INFO).log("Relay '{}' started for {}", relay.name, destinations.keySet());
  }

  private void join(List<ServedDestination> registered) {
    long askedAt = now();
    List<ServedDestination> all = new ArrayList<>(served);
    all.add(new ServedDestination(RelayStore.UNROUTED, Set.of(ServedDestination.ALL_TYPES)));
    relay.store.join(identity, all, relay.config.lease());
    // Only after joining: a command that removed a destination, or fenced or adopted the database,
    // either shows in these calls, or finds this relay among the running ones.
    try {
      relay.store.register(relay.application, registered);
      relay.store.verify(relay.environment);
    } catch (PosthornException e) {
      relay.store.leave(identity);
      throw e;
    }
    lease = new Lease(askedAt);
    lease.renewed(askedAt, relay.config.lease());
  }

  Lookout lookout() {
    return lookout;
  }

  private void laneIdle(boolean worked) {
    lookout.laneIdle(worked);
  }

  private void unpark() {
    LockSupport.unpark(thread);
  }

  void stop() {
    stopping = true;
    Thread running = thread;
    if (running == null) {
      return;
    }
    LockSupport.unpark(running);
    try {
      running.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  // ---- the loop ----

  @Override
  public void run() {
    while (!stopping || !stopped()) {
      long now = now();
      try {
        lanes.giveUpHanging(now);
        if (now >= beatAt) {
          beat(now);
        }
        if (!stopping) {
          lookout.look(now);
          if (lookout.sawLanesToShare()) {
            beatAt = now;
          }
        }
      } catch (PosthornException e) {
        log(context.warnOnce().warnLevel("relay " + e.code()))
            .log("Relay '{}': {}", relay.name, e.getMessage());
        beatAt = Math.min(beatAt, now + FAILED_PAUSE);
        lookout.failed(now + FAILED_PAUSE);
      } catch (RuntimeException | Error e) {
        // This thread must survive every error: without it nothing is sent.
        log(Level.ERROR)
            .setCause(Sanitiser.clean(e))
            .log("Relay '{}': unexpected error; the relay goes on", relay.name);
        beatAt = Math.min(beatAt, now + FAILED_PAUSE);
        lookout.failed(now + FAILED_PAUSE);
      }
      if (lease.expired(now())) {
        abandonAll("the lease expired");
      }
      await();
    }
    leave();
  }

  private void await() {
    long now = now();
    long until =
        stopping ? now + Duration.ofMillis(10).toNanos() : Math.min(beatAt, lookout.nextAt(now));
    if (until - now > 0) {
      LockSupport.parkNanos(this, until - now);
    }
  }

  // ---- the lease and the lanes ----

  private void beat(long now) {
    boolean failedBefore = beatFailed;
    beatFailed = true;
    renew(now);
    beatFailed = false;
    if (failedBefore) {
      log(Level.INFO).log("Relay '{}': the heartbeat works again", relay.name);
    }
  }

  private void renew(long now) {
    beatAt = now + relay.config.lease().toNanos() / 3;
    var cluster = relay.store.beat(identity, relay.config.lease());
    if (cluster.isEmpty()) {
      abandonAll("the lease expired");
      if (!stopping) {
        identity = newIdentity();
        relay.store.verify(relay.environment);
        join(fromNowOn());
        beatAt = now();
      }
      return;
    }
    lease.renewed(now, relay.config.lease());
    if (!stopping && served.stream().anyMatch(own -> isGone(own, cluster.get()))) {
      log(Level.WARN)
          .log(
              "Relay '{}' registers its destinations and routes again: some were removed while it runs",
              relay.name);
      relay.store.register(relay.application, fromNowOn());
    }
    if (!stopping) {
      lanes.share(identity, lease, cluster.get());
    }
  }

  /**
   * Whether the destination or a route to it was removed, by a person who took this relay for dead.
   */
  private static boolean isGone(ServedDestination own, ClusterState cluster) {
    ServedDestination routes = cluster.routesTo(own.destination());
    return cluster.lanes().stream().noneMatch(lane -> lane.destination().equals(own.destination()))
        || !own.types().stream().allMatch(routes::includes);
  }

  /** The served destinations without their start: what was removed is not sent all over again. */
  private List<ServedDestination> fromNowOn() {
    return served.stream()
        .map(
            own ->
                new ServedDestination(own.destination(), own.types(), Start.NOW, own.direction()))
        .toList();
  }

  private void abandonAll(String why) {
    lanes.abandon(why);
    unrouted.lost();
  }

  // ---- the end ----

  private boolean stopped() {
    if (stopAt == 0) {
      stopAt =
          now()
              + relay.longestSend().toNanos()
              + relay.config.settleTimeout().multipliedBy(2).toNanos();
      lanes.drain();
      unrouted.lost();
    }
    // Retention and operations end with their next step, and use the database until then.
    boolean idle = lanes.all().isEmpty() && !unrouted.busy() && !operations.busy();
    return idle || now() > stopAt;
  }

  private void leave() {
    abandonAll("the relay stops");
    storeThreads.shutdown();
    try {
      relay.store.leave(identity);
      log(Level.INFO).log("Relay '{}' stopped", relay.name);
    } catch (PosthornException e) {
      log(Level.WARN)
          .log(
              "Relay '{}' stopped, but did not give up its lease; its lanes are free when the lease ends: {}",
              relay.name,
              e.getMessage());
    }
  }

  private LoggingEventBuilder log(Level level) {
    return LOG.atLevel(level).addKeyValue(LogFields.RELAY, relay.name);
  }

  private long now() {
    return relay.ticker.nanoTime();
  }
}
