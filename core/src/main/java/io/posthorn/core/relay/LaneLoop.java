package io.posthorn.core.relay;

import io.posthorn.core.error.PosthornException;
import io.posthorn.core.error.Sanitiser;
import io.posthorn.core.observe.Event;
import io.posthorn.core.store.Head;
import io.posthorn.core.store.Lane;
import io.posthorn.core.trace.LogFields;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * One lane at work, on a thread of its own: claim → send in rounds → settle.
 *
 * <p>The loop never waits for the database or a receiver. {@link LaneWork} calls the store on other
 * threads, the connector answers when it can, and every result arrives in the mailbox. While one
 * page is being sent the next is read, and while one is being settled the next is sent.
 */
final class LaneLoop implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(LaneLoop.class);
  private static final long LONGEST_WAIT = Duration.ofSeconds(1).toNanos();

  /** Called when a lane has caught up with the log. */
  @FunctionalInterface
  interface OnIdle {
    /**
     * @param hadMessages whether it had messages since it last caught up, or was just taken
     */
    void caughtUp(boolean hadMessages);
  }

  private final RelayContext context;
  private final Lease lease;
  private final Destination destination;
  private final Lane lane;
  private final LaneEngine engine;
  private final LaneCheck check;
  private final LaneWork work;
  private final Sender sender;
  private final Mailbox mailbox = new Mailbox();
  private final LaneShare.Member share;
  private final OnIdle onIdle;
  private final Consumer<LaneLoop> onEnd;
  private final long takenAt;

  private boolean draining;
  private volatile boolean busy = true;
  private boolean over;
  private volatile boolean released;
  private volatile boolean failed;
  private volatile long lastRoundAt;

  LaneLoop(
      RelayContext context,
      Lease lease,
      Destination destination,
      LaneShare share,
      Lane lane,
      OnIdle onIdle,
      Consumer<LaneLoop> onEnd) {
    this.context = context;
    this.lease = lease;
    this.destination = destination;
    this.lane = lane;
    this.onIdle = onIdle;
    this.onEnd = onEnd;
    this.takenAt = context.ticker().nanoTime();
    this.lastRoundAt = takenAt;
    this.share = share.join(lane.number(), lane.of(), () -> mailbox.put(() -> {}));
    int batchSize = Math.max(2, context.config().batchSize() / lane.of());
    this.engine =
        new LaneEngine(
            destination,
            context.cipher(),
            context.observer(),
            context.random(),
            this.share,
            batchSize,
            lastRoundAt);
    this.check = new LaneCheck(context, destination, lane, engine, mailbox);
    this.sender = new Sender(context, destination, engine, mailbox);
    this.work = new LaneWork(context, destination, lane, engine, check, mailbox, this::lost);
  }

  Lane lane() {
    return lane;
  }

  // ---- called by the relay ----

  /** Makes the lane claim: the log may have new messages. */
  void wake() {
    mailbox.put(work::wantClaim);
  }

  /** Makes the lane claim parked messages: some may be due. */
  void wakeParked() {
    mailbox.put(() -> work.parkedDue(context.ticker().nanoTime()));
  }

  /**
   * The destination's pauses and limits have this id now; the lane reads them if its own are older.
   */
  void steeringChanged(UUID latest) {
    UUID known = work.steering().appliedId();
    // A lane that knows none yet is about to claim, and a claim returns them.
    if (known != null && !known.equals(latest)) {
      mailbox.put(work.steering()::readSoon);
    }
  }

  /**
   * Whether the destination is paused. The lane then need not be woken for new messages; {@link
   * #steeringChanged} reports the resume.
   */
  boolean paused() {
    return work.steering().paused();
  }

  /** Whether the lane has work. It claims by itself before it becomes idle. */
  boolean busy() {
    return busy;
  }

  /** Whether a look at the log began after this time. */
  boolean lookedSince(long time) {
    return work.lookedAt() - time > 0;
  }

  /** Whether the log may hold messages that this lane has not seen. */
  boolean behind(Head now) {
    Head known = work.head();
    return known == null || now.newsSince(known);
  }

  /** Finishes what is in flight, settles it and gives the lane back. */
  void drain() {
    mailbox.put(this::startDraining);
  }

  /** Ends at once and sends nothing more: the relay has lost the lane, or gives it up. */
  void abandon(String why) {
    mailbox.put(() -> lost(why, false));
  }

  /** When the lane was taken. */
  long takenAt() {
    return takenAt;
  }

  /** When the last round of the loop began: a loop that hangs must not keep its lane. */
  long lastRoundAt() {
    return lastRoundAt;
  }

  /** When the oldest open call of the store began; {@code now} if none is open. */
  long waitsForStoreSince(long now) {
    return work.oldestOpenCall(now);
  }

  /** Whether the destination does not answer this relay; another relay might reach it. */
  boolean unreachable() {
    return work.steering().unreachable();
  }

  /** Whether the lane was given back. */
  boolean released() {
    return released;
  }

  /** Whether the loop ended because of an error. */
  boolean failed() {
    return failed;
  }

  // ---- the loop ----

  @Override
  public void run() {
    mailbox.ownedBy(Thread.currentThread());
    try {
      while (!over) {
        long now = context.ticker().nanoTime();
        lastRoundAt = now;
        boolean didWork = mailbox.drain();
        if (over) {
          break;
        }
        long nextTimeout = engine.timeouts(now);
        nextTimeout = Math.min(nextTimeout, engine.setAside(now, context.config().slowAfter()));
        check.startIfDue(now);
        if (send()) {
          didWork = true;
          // A connector may have answered at once: then one settle covers all these answers.
          mailbox.drain();
        }
        if (over) {
          break;
        }
        didWork |= work.start(now);
        if (work.steering().paused()) {
          work.forgetWhilePaused();
        }
        if (draining && work.finished()) {
          release();
          break;
        }
        reportIdle();
        if (!didWork) {
          mailbox.await(waitFor(now, nextTimeout));
        }
      }
    } catch (RuntimeException | Error e) {
      log(Level.ERROR)
          .setCause(Sanitiser.clean(e))
          .log("Lane {} ended by an unexpected error; a relay takes it again", lane);
      over = true;
      failed = true;
    } finally {
      engine.endSpans();
      share.end(context.ticker().nanoTime());
      onEnd.accept(this);
    }
  }

  private void reportIdle() {
    boolean before = busy;
    busy = work.busy();
    if (before && !busy) {
      onIdle.caughtUp(work.hadMessages());
    }
  }

  private long waitFor(long now, long nextTimeout) {
    // Much more often than a lease, so that a waiting loop is not taken for one that hangs.
    long longest = Math.min(LONGEST_WAIT, context.config().lease().toNanos() / 8);
    long until = Math.min(now + longest, nextTimeout);
    if (maySend(now)) {
      until = Math.min(until, engine.dispatchAt(now));
    }
    return Math.min(until, work.nextAt(now)) - now;
  }

  private boolean maySend(long now) {
    return !draining && !work.steering().paused() && lease.allows(now, destination.sendTimeout());
  }

  private boolean send() {
    // Read here and not earlier: the program may have been frozen since the round began.
    long now = context.ticker().nanoTime();
    if (!maySend(now)) {
      return false;
    }
    List<TrackedDelivery> round = engine.dispatch(now);
    if (round.isEmpty()) {
      return engine.decidedUnsent();
    }
    sender.send(round, now);
    return true;
  }

  // ---- the end ----

  private void startDraining() {
    draining = true;
    work.drain();
  }

  private void release() {
    over = true;
    try {
      context.store().release(lane);
      released = true;
      context.observer().on(new Event.LaneReleased(destination.name()));
    } catch (PosthornException e) {
      log(Level.WARN)
          .log(
              "Lane {} was not given back; it is free when the lease ends: {}",
              lane,
              e.getMessage());
    }
  }

  private void lost(String why, boolean somethingIsWrong) {
    if (!over) {
      over = true;
      failed = somethingIsWrong;
      log(Level.WARN)
          .log(
              "Lane {} is lost, so its next owner sends again what was not settled: {}", lane, why);
      context.observer().on(new Event.LaneLost(destination.name(), why));
    }
  }

  private LoggingEventBuilder log(Level level) {
    return LOG.atLevel(level).addKeyValue(LogFields.DESTINATION, destination.name());
  }
}
