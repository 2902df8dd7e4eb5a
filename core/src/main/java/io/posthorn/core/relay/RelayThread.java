package io.posthorn.core.relay;

import io.posthorn.core.error.PosthornException;
import io.posthorn.core.error.Sanitiser;
import io.posthorn.core.observe.Event;
import io.posthorn.core.observe.MessageLog;
import io.posthorn.core.observe.Observer;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.store.Head;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.Members;
import io.posthorn.core.store.RelayIdentity;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.store.Serving;
import io.posthorn.core.store.Signals;
import io.posthorn.core.trace.Guarded;
import io.posthorn.core.trace.LogFields;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
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
 * The relay's own thread: keeps the lease, takes and gives back lanes, and watches the head of the
 * log for all of them. Idle, it asks the database one small question a second, whatever it serves.
 */
final class RelayThread implements Runnable, Outbox.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(RelayThread.class);

  /** After an add, the commit is expected soon: look so often, for so long. */
  private static final long BURST_POLL = Duration.ofMillis(1).toNanos();

  private static final long BURST = Duration.ofMillis(100).toNanos();
  private static final long FULL_LOOK = Duration.ofSeconds(1).toNanos();
  private static final long AVOID = Duration.ofSeconds(30).toNanos();
  private static final long FAILED_PAUSE = Duration.ofSeconds(1).toNanos();

  /** A claim that no hint asked for, one lane at a time: hints may fail, this does not. */
  private static final long UNASKED_CLAIM = Duration.ofSeconds(10).toNanos();

  private final Relay.Builder relay;
  private final Map<String, Destination> destinations = new LinkedHashMap<>();
  private final List<Serving> serves = new ArrayList<>();
  private final Map<String, LaneLoop> loops = new ConcurrentHashMap<>();
  private final Map<String, Long> avoidUntil = new ConcurrentHashMap<>();
  private final Set<String> stuck = ConcurrentHashMap.newKeySet();
  private final Map<LaneLoop, Long> late = new HashMap<>();
  private final Set<String> untended = new HashSet<>();
  private final Set<String> freeBefore = new HashSet<>();
  private final ExecutorService storeThreads;
  private final RelayContext context;
  private final UnroutedWatch unrouted;
  private final OperationWatch operations;
  private @Nullable Thread thread;

  private RelayIdentity identity;
  private Lease lease;
  private long beatAt;
  private long lookAt;
  private long pollAt;
  private long unaskedAt;
  private int unaskedNext;
  private boolean newsForBusy;
  private long poll;
  private volatile long burstUntil;
  private volatile long committedAt;
  private final Set<String> parkedDue = ConcurrentHashMap.newKeySet();
  private volatile boolean wake;
  private boolean tellWhenIdle;
  private volatile boolean laneIdle;
  private volatile boolean stopping;
  private long stopAt;

  RelayThread(Relay.Builder relay) {
    this.relay = relay;
    for (Destination destination : relay.destinations) {
      destinations.put(destination.name(), destination);
      serves.add(destination.serving());
    }
    this.storeThreads = newThreads(relay.name, relay.config.storeThreads());
    this.context =
        new RelayContext(
            relay.store,
            relay.config,
            storeThreads,
            new Checks(),
            relay.ticker,
            relay.random,
            guarded(relay.observer),
            Guarded.of(relay.tracing),
            relay.cipher,
            relay.classifier);
    this.identity = newIdentity();
    this.lease = new Lease(relay.ticker.nanoTime());
    this.unrouted = new UnroutedWatch(context, new Housekeeping(context, relay.archive));
    this.operations = new OperationWatch(context);
  }

  /** Whoever listens must not be able to stop a delivery. */
  private static Observer guarded(Observer yours) {
    Observer observer = new MessageLog().and(yours);
    return event -> {
      try {
        observer.on(event);
      } catch (RuntimeException e) {
        LOG.atWarn()
            .setCause(Sanitiser.clean(e))
            .addKeyValue(LogFields.DESTINATION, event.destination())
            .log("An observer failed at {}", event.getClass().getSimpleName());
      }
    };
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
    relay.store.verify(relay.environment);
    relay.store.register(relay.application, serves);
    join();
    long now = now();
    beatAt = now;
    lookAt = now;
    unaskedAt = now + UNASKED_CLAIM;
    poll = relay.config.fastestPoll().toNanos();
    Thread started = new Thread(this, "posthorn-" + relay.name);
    started.setDaemon(true);
    thread = started;
    started.start();
    log(Level.INFO).log("Relay '{}' started for {}", relay.name, destinations.keySet());
  }

  private void join() {
    long askedAt = now();
    List<Serving> all = new ArrayList<>(serves);
    all.add(new Serving(RelayStore.UNROUTED, Set.of(Serving.ALL_TYPES)));
    relay.store.join(identity, all, relay.config.lease());
    // Again, now that it is known to be here: whoever has fenced or adopted the database meanwhile
    // shows; whoever does so from now on finds this relay.
    try {
      relay.store.verify(relay.environment);
    } catch (PosthornException e) {
      relay.store.leave(identity);
      throw e;
    }
    lease = new Lease(askedAt);
    lease.renewed(askedAt, relay.config.lease());
  }

  @Override
  public void added() {
    boolean armed = burstUntil - now() > 0;
    burstUntil = now() + BURST;
    if (!armed) {
      LockSupport.unpark(thread);
    }
  }

  @Override
  public void committed() {
    committedAt = now();
    // Who tells of commits need not be watched for them.
    burstUntil = committedAt;
    wake = true;
    LockSupport.unpark(thread);
  }

  /** Parked messages of this destination may be due. */
  void parkedDue(String destination) {
    parkedDue.add(destination);
    LockSupport.unpark(thread);
  }

  /** A lane has caught up with the log: from now on it must be told of news. */
  private void laneIdle() {
    laneIdle = true;
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
        dropHanging(now);
        if (now >= beatAt) {
          beat(now);
        }
        if (!stopping) {
          look(now);
        }
      } catch (PosthornException e) {
        log(Level.WARN).log("Relay '{}': {}", relay.name, e.getMessage());
        beatAt = Math.min(beatAt, now + FAILED_PAUSE);
        pollAt = now + FAILED_PAUSE;
        lookAt = now + FAILED_PAUSE;
      } catch (RuntimeException e) {
        log(Level.ERROR)
            .setCause(Sanitiser.clean(e))
            .log("Relay '{}': unexpected; going on", relay.name);
        pollAt = now + FAILED_PAUSE;
      }
      if (lease.expired(now())) {
        abandonAll("the lease ran out");
      }
      await();
    }
    leave();
  }

  private void await() {
    long now = now();
    long until = Math.min(Math.min(beatAt, operations.nextAt(now)), Math.min(pollAt, lookAt));
    if (stopping) {
      until = now + Duration.ofMillis(10).toNanos();
    }
    boolean called = !stopping && (wake || laneIdle || !parkedDue.isEmpty());
    if (!called && until - now > 0) {
      LockSupport.parkNanos(this, until - now);
    }
  }

  private void look(long now) {
    for (String destination : List.copyOf(parkedDue)) {
      LaneLoop loop = loops.get(destination);
      // Removed first: what is parked from now on is told again.
      parkedDue.remove(destination);
      if (loop != null) {
        loop.wakeParked();
      }
    }
    boolean asked = wake;
    wake = false;
    long fastest = relay.config.fastestPoll().toNanos();
    if (laneIdle) {
      laneIdle = false;
      poll = fastest;
      // What came while the lane was busy has waited long enough.
      pollAt = newsForBusy ? now : Math.min(pollAt, now + fastest);
      newsForBusy = false;
      asked |= tellWhenIdle;
    }
    boolean burst = burstUntil - now > 0;
    if (burst) {
      pollAt = Math.min(pollAt, now + BURST_POLL);
    }
    operations.look(now);
    if (asked) {
      tellWhenIdle = false;
      if (tellOnlyLane()) {
        pollAt = Math.max(pollAt, now + fastest);
        asked = false;
      }
    }
    if (!asked && now < pollAt && now < lookAt) {
      return;
    }
    Head head = now >= lookAt ? fullLook(now) : relay.store.head();
    unrouted.look(head, now);
    boolean news = tellLanes(head);
    poll = news ? fastest : Math.min(poll * 2, relay.config.slowestPoll().toNanos());
    pollAt = now() + (burst ? Math.min(BURST_POLL, fastest) : poll);
  }

  /**
   * A transaction of this program was committed. If there is one lane, its next look tells as much
   * as the head of the log would, one question sooner; a busy lane looks before it rests, perhaps
   * too early.
   *
   * @return false if there are several lanes, or none
   */
  private boolean tellOnlyLane() {
    if (loops.size() != 1) {
      return false;
    }
    LaneLoop only = loops.values().iterator().next();
    if (only.busy()) {
      tellWhenIdle = true;
    } else if (!only.lookedSince(committedAt)) {
      only.wake();
    }
    return true;
  }

  /** True if a lane was told of news. A busy one need not be: it looks before it rests. */
  private boolean tellLanes(Head head) {
    boolean news = false;
    for (LaneLoop loop : loops.values()) {
      if (loop.busy()) {
        newsForBusy |= loop.behind(head);
      } else if (loop.behind(head)) {
        loop.wake();
        news = true;
      }
    }
    return news;
  }

  private Head fullLook(long now) {
    // With a short lease a free lane is to be seen sooner, too.
    long every = Math.min(FULL_LOOK, relay.config.lease().toNanos() / 4);
    lookAt = now + Math.min(every, operations.lookEvery());
    Set<String> mine = new HashSet<>(destinations.keySet());
    mine.add(RelayStore.UNROUTED);
    Signals signals = relay.store.look(mine);
    for (String destination : signals.due()) {
      LaneLoop loop = loops.get(destination);
      if (loop != null) {
        loop.wakeParked();
      }
    }
    for (LaneLoop loop : loops.values()) {
      UUID steered = signals.steered().get(loop.lane().destination());
      if (steered != null) {
        loop.steered(steered);
      }
    }
    unrouted.due(signals.due().contains(RelayStore.UNROUTED));
    operations.any(signals.operations());
    if (signals.free().stream().anyMatch(free -> !isAvoided(free) && !stuck.contains(free))) {
      beatAt = now;
    }
    if (now >= unaskedAt && !loops.isEmpty()) {
      unaskedAt = now + UNASKED_CLAIM;
      List<LaneLoop> all = List.copyOf(loops.values());
      all.get(unaskedNext++ % all.size()).wake();
    }
    return signals.head();
  }

  // ---- the lease and the lanes ----

  private void beat(long now) {
    beatAt = now + relay.config.lease().toNanos() / 3;
    var members = relay.store.beat(identity, relay.config.lease());
    if (members.isEmpty()) {
      abandonAll("the lease ran out");
      if (!stopping) {
        identity = newIdentity();
        relay.store.verify(relay.environment);
        join();
        beatAt = now();
      }
      return;
    }
    lease.renewed(now, relay.config.lease());
    if (!stopping) {
      share(members.get());
    }
  }

  /**
   * A lane that no longer turns round is stuck in its connector. This thread must not keep it
   * alive: the lane is given up, and stays so here until the connector lets go.
   */
  private void dropHanging(long now) {
    long longest = relay.config.lease().toNanos() / 2;
    Map<LaneLoop, Long> before = Map.copyOf(late);
    late.clear();
    for (LaneLoop loop : List.copyOf(loops.values())) {
      long tick = loop.tick();
      if (now - tick > longest) {
        late.put(loop, tick);
      }
      // After a pause of the whole program all lanes look stuck, so each gets another round.
      if (now - tick > longest && Long.valueOf(tick).equals(before.get(loop))) {
        String destination = loop.lane().destination();
        log(Level.ERROR)
            .addKeyValue(LogFields.DESTINATION, destination)
            .log(
                "Relay '{}' gives up lane {}: its connector has not returned from send for {} s",
                relay.name,
                loop.lane(),
                Duration.ofNanos(now - tick).toSeconds());
        stuck.add(destination);
        loops.remove(destination, loop);
        loop.abandon("its connector is stuck");
        storeThreads.execute(() -> releaseQuietly(loop.lane()));
      }
    }
  }

  private void share(Members members) {
    for (LaneLoop loop : loops.values()) {
      if (loop.unreachable()) {
        avoidUntil.put(loop.lane().destination(), now() + AVOID);
      }
    }
    Sharing sharing = new Sharing(identity.id(), members, this::isAvoided);
    for (String destination : sharing.toGiveBack()) {
      LaneLoop loop = loops.get(destination);
      if (loop != null) {
        log(Level.INFO)
            .addKeyValue(LogFields.DESTINATION, destination)
            .log("Relay '{}' gives lane {} to another relay", relay.name, loop.lane());
        loop.drain();
      } else if (destination.equals(RelayStore.UNROUTED)) {
        unrouted.release();
      }
    }
    sharing.toTake(freeBefore).forEach(this::take);
    takeUntended(members);
    freeBefore.clear();
    members.lanes().stream()
        .filter(Members.Holding::free)
        .forEach(lane -> freeBefore.add(lane.destination()));
  }

  /** One lane that cannot be taken now must not keep this relay from the others. */
  private void take(Members.Holding lane) {
    String destination = lane.destination();
    if (tends(destination) || stuck.contains(destination)) {
      return;
    }
    try {
      relay.store.take(identity, destination, lane.lane()).ifPresent(this::taken);
    } catch (PosthornException e) {
      log(Level.WARN)
          .addKeyValue(LogFields.DESTINATION, destination)
          .log("Relay '{}': {}", relay.name, e.getMessage());
    }
  }

  /**
   * By the database a lane may be this relay's, and nobody here works on it: the answer to a take,
   * or the release, was lost. Taking it again gives it a new token. Only after a second look: it
   * may have been given back just now.
   */
  private void takeUntended(Members members) {
    Set<String> before = Set.copyOf(untended);
    untended.clear();
    for (Members.Holding lane : members.lanes()) {
      boolean mine = identity.id().equals(lane.holder());
      if (mine && !tends(lane.destination()) && !isAvoided(lane.destination())) {
        untended.add(lane.destination());
        if (before.contains(lane.destination())) {
          take(lane);
        }
      }
    }
  }

  private boolean tends(String destination) {
    return loops.containsKey(destination)
        || (destination.equals(RelayStore.UNROUTED) && unrouted.holds());
  }

  private boolean isAvoided(String destination) {
    Long until = avoidUntil.get(destination);
    return until != null && until - now() > 0;
  }

  private void taken(Lane lane) {
    if (lane.destination().equals(RelayStore.UNROUTED)) {
      unrouted.taken(lane);
      return;
    }
    Destination destination = destinations.get(lane.destination());
    if (destination == null) {
      throw new IllegalStateException("took a lane nobody here serves: " + lane);
    }
    LaneLoop loop = new LaneLoop(context, lease, destination, lane, this::laneIdle, this::ended);
    loops.put(lane.destination(), loop);
    context.observer().on(new Event.LaneTaken(lane.destination()));
    Thread thread = new Thread(loop, "posthorn-" + relay.name + "-" + lane.destination());
    thread.setDaemon(true);
    thread.start();
  }

  private void ended(LaneLoop loop) {
    stuck.remove(loop.lane().destination());
    loops.remove(loop.lane().destination(), loop);
    if (loop.failed()) {
      avoidUntil.put(loop.lane().destination(), now() + FAILED_PAUSE);
    }
    if (!loop.released() && !stopping) {
      storeThreads.execute(() -> releaseQuietly(loop.lane()));
    }
  }

  /** If the lane has a new holder, its token is another and this changes nothing. */
  private void releaseQuietly(Lane lane) {
    try {
      relay.store.release(lane);
    } catch (PosthornException e) {
      log(Level.WARN)
          .addKeyValue(LogFields.DESTINATION, lane.destination())
          .log("Lane {} is free when the lease ends: {}", lane, e.getMessage());
    }
  }

  private void abandonAll(String why) {
    loops.values().forEach(loop -> loop.abandon(why));
    unrouted.lost();
  }

  // ---- the end ----

  private boolean stopped() {
    if (stopAt == 0) {
      stopAt =
          now()
              + relay.longestSend().toNanos()
              + relay.config.settleTimeout().multipliedBy(2).toNanos();
      loops.values().forEach(LaneLoop::drain);
      unrouted.lost();
    }
    // What is done beside ends with its next step, and uses the database until then.
    boolean idle = loops.isEmpty() && !unrouted.busy() && !operations.busy();
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
              "Relay '{}' stopped; its lanes are free when its lease ends: {}",
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
