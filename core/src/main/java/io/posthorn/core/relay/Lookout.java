package io.posthorn.core.relay;

import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.store.Head;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.store.Signals;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Checks the log and the parked messages on behalf of all lanes of a relay, and wakes the lanes
 * that have work. While the relay is idle this costs one small query a second, whatever the number
 * of destinations. Hints make the next check come sooner; they can arrive on any thread.
 */
final class Lookout implements Outbox.Listener {
  /**
   * The commit is expected soon after an add: for {@link #BURST}, the log is checked at this
   * interval.
   */
  private static final long BURST_POLL = Duration.ofMillis(1).toNanos();

  private static final long BURST = Duration.ofMillis(100).toNanos();
  private static final long FULL_LOOK = Duration.ofSeconds(1).toNanos();

  /**
   * At this interval one lane after the other claims without being prompted, since hints and checks
   * can miss a message and a claim cannot.
   */
  private static final long UNPROMPTED_CLAIM = Duration.ofSeconds(10).toNanos();

  private final RelayContext context;
  private final Set<String> destinations;
  private final OwnLanes lanes;
  private final UnroutedWatch unrouted;
  private final OperationWatch operations;
  private final Runnable unpark;

  private long lookAt;
  private long pollAt;
  private long poll;
  private long unpromptedAt;
  private int unpromptedNext;
  private boolean busyLaneBehind;
  private boolean lookWhenIdle;
  private boolean lanesToShare;
  private final Set<String> parkedDue = ConcurrentHashMap.newKeySet();
  private volatile long burstUntil;
  private volatile long committedAt;
  private volatile boolean wake;
  private volatile boolean laneIdle;
  private volatile boolean laneWorked;

  Lookout(
      RelayContext context,
      Set<String> destinations,
      OwnLanes lanes,
      UnroutedWatch unrouted,
      OperationWatch operations,
      Runnable unpark) {
    this.context = context;
    this.destinations = new HashSet<>(destinations);
    this.destinations.add(RelayStore.UNROUTED);
    this.lanes = lanes;
    this.unrouted = unrouted;
    this.operations = operations;
    this.unpark = unpark;
  }

  void start(long now) {
    lookAt = now;
    unpromptedAt = now + UNPROMPTED_CLAIM;
    poll = context.config().fastestPoll().toNanos();
  }

  // ---- hints ----

  @Override
  public void added() {
    boolean armed = burstUntil - now() > 0;
    burstUntil = now() + BURST;
    if (!armed) {
      unpark.run();
    }
  }

  @Override
  public void committed() {
    committedAt = now();
    // An outbox that announces its commits makes a burst of checks unnecessary.
    burstUntil = committedAt;
    wake = true;
    unpark.run();
  }

  /** Checks at once whether parked messages of this destination are due. */
  void parkedDue(String destination) {
    parkedDue.add(destination);
    unpark.run();
  }

  /**
   * A lane has caught up with the log. From now on it waits to be woken.
   *
   * @param worked whether it had messages since it last caught up
   */
  void laneIdle(boolean worked) {
    if (worked) {
      laneWorked = true;
    }
    laneIdle = true;
    unpark.run();
  }

  // ---- on the relay's thread ----

  /** When the next check is due; a hint makes it due at once. */
  long nextAt(long now) {
    boolean hinted = wake || laneIdle || !parkedDue.isEmpty();
    return hinted ? now : Math.min(operations.nextAt(now), Math.min(pollAt, lookAt));
  }

  /** A check failed: repeats it at this time. */
  void failed(long again) {
    pollAt = again;
    lookAt = again;
  }

  /**
   * Whether a check since the last call of this method found a lane that this relay may take or may
   * hold unknowingly, or a changed number of relays.
   */
  boolean sawLanesToShare() {
    boolean saw = lanesToShare;
    lanesToShare = false;
    return saw;
  }

  void look(long now) {
    for (String destination : List.copyOf(parkedDue)) {
      // Removed first: a message that is parked from now on adds it again.
      parkedDue.remove(destination);
      lanes.wakeParked(destination);
    }
    boolean prompted = wake;
    wake = false;
    long fastest = context.config().fastestPoll().toNanos();
    if (laneIdle) {
      laneIdle = false;
      // After work there is often more; after a claim that found nothing there is not.
      boolean worked = laneWorked;
      laneWorked = false;
      if (worked || busyLaneBehind) {
        poll = fastest;
        // Messages that were committed while the lane was busy have waited long enough.
        pollAt = busyLaneBehind ? now : Math.min(pollAt, now + fastest);
      }
      busyLaneBehind = false;
      prompted |= lookWhenIdle;
    }
    boolean burst = burstUntil - now > 0;
    if (burst) {
      pollAt = Math.min(pollAt, now + BURST_POLL);
    }
    operations.look(now);
    if (prompted) {
      lookWhenIdle = false;
      if (wakeOnlyLane()) {
        pollAt = Math.max(pollAt, now + fastest);
        prompted = false;
      }
    }
    if (!prompted && now < pollAt && now < lookAt) {
      return;
    }
    Head head = now >= lookAt ? fullLook(now) : context.store().head();
    unrouted.look(head, now);
    boolean news = wakeLanes(head);
    poll = news ? fastest : Math.min(poll * 2, context.config().slowestPoll().toNanos());
    pollAt = now() + (burst ? Math.min(BURST_POLL, fastest) : poll);
  }

  /**
   * Wakes the lane after a commit of this program, if the relay has a single lane: its claim finds
   * out as much as a check of the log, and saves the query. A busy lane claims before it rests, but
   * perhaps too early, so the log is checked when it has caught up.
   *
   * @return false if the relay has several lanes or none, so that the log must be checked
   */
  private boolean wakeOnlyLane() {
    List<LaneLoop> all = lanes.all();
    if (all.size() != 1) {
      return false;
    }
    LaneLoop only = all.get(0);
    if (only.busy()) {
      lookWhenIdle = true;
    } else if (!only.paused() && !only.lookedSince(committedAt)) {
      only.wake();
    }
    return true;
  }

  /**
   * Wakes lanes that are behind; returns true if it woke any. A busy lane claims before it rests.
   */
  private boolean wakeLanes(Head head) {
    boolean news = false;
    for (LaneLoop loop : lanes.all()) {
      if (loop.paused()) {
        continue;
      }
      if (loop.busy()) {
        busyLaneBehind |= loop.behind(head);
      } else if (loop.behind(head)) {
        loop.wake();
        news = true;
      }
    }
    return news;
  }

  private Head fullLook(long now) {
    // With a short lease, a free lane must be noticed sooner too.
    long every = Math.min(FULL_LOOK, context.config().lease().toNanos() / 4);
    lookAt = now + Math.min(every, operations.parkedLookInterval());
    Signals signals = context.store().look(destinations);
    signals.due().forEach(lanes::wakeParked);
    for (LaneLoop loop : lanes.all()) {
      UUID latest = signals.steered().get(loop.lane().destination());
      if (latest != null) {
        loop.steeringChanged(latest);
      }
    }
    unrouted.due(signals.due().contains(RelayStore.UNROUTED));
    operations.running(signals.operations());
    lanesToShare =
        signals.relays() != lanes.relays()
            || lanes.mayHoldWithoutLoop()
            || signals.free().stream().anyMatch(lanes::mayTake);
    List<LaneLoop> all = lanes.all();
    if (now >= unpromptedAt && !all.isEmpty()) {
      unpromptedAt = now + UNPROMPTED_CLAIM;
      all.get(unpromptedNext++ % all.size()).wake();
    }
    return signals.head();
  }

  private long now() {
    return context.ticker().nanoTime();
  }
}
