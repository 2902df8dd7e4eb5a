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
 * <p>The loop never waits for the database or a receiver: {@link LaneWork} asks the one, the
 * connector the other, and everything arrives in the mailbox. While one page is being sent the next
 * is read, and while one is settled the next is being sent.
 *
 * <p>Crash: what was sent and not settled is sent again by the next owner, at most {@code
 * batchSize} messages. Freeze: a send starts only if it would end before the lease does, and the
 * token lets a late settle write nothing.
 */
final class LaneLoop implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(LaneLoop.class);
  private static final long LONGEST_WAIT = Duration.ofSeconds(1).toNanos();

  /** Hears that a lane has caught up with the log. */
  @FunctionalInterface
  interface OnIdle {
    /**
     * @param hadMessages it had messages since it was idle before, or was just taken
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
    this.engine =
        new LaneEngine(
            destination,
            context.cipher(),
            context.observer(),
            context.random(),
            context.config().batchSize(),
            lastRoundAt);
    this.check = new LaneCheck(context, destination, lane, engine, mailbox);
    this.sender = new Sender(context, destination, engine, mailbox);
    this.work = new LaneWork(context, destination, lane, engine, check, mailbox, this::lost);
  }

  Lane lane() {
    return lane;
  }

  // ---- called by the relay ----

  /** Something may be new in the log. */
  void wake() {
    mailbox.put(work::wantClaim);
  }

  /** Parked messages may be due. */
  void wakeParked() {
    mailbox.put(() -> work.parkedDue(context.ticker().nanoTime()));
  }

  /** People said this last; if it is news, it is read. */
  void steeringChanged(UUID latest) {
    UUID known = work.steering().appliedId();
    // A lane that knows nothing yet is about to claim, which tells.
    if (known != null && !known.equals(latest)) {
      mailbox.put(work.steering()::readSoon);
    }
  }

  /**
   * Nothing in the log is news to it until it is resumed, of which it hears by {@link
   * #steeringChanged}.
   */
  boolean paused() {
    return work.steering().paused();
  }

  /** It has work, and will look at the log by itself before it has none. */
  boolean busy() {
    return busy;
  }

  /** Whether it looked at the log, or began to, after this time. */
  boolean lookedSince(long time) {
    return work.lookedAt() - time > 0;
  }

  /** Whether the log may hold something that this lane has not seen. */
  boolean behind(Head now) {
    Head known = work.head();
    return known == null || now.newsSince(known);
  }

  /** Finish what is on its way, settle it, give the lane back. */
  void drain() {
    mailbox.put(this::startDraining);
  }

  /** The lease is gone: stop at once, nothing of this lane may be sent any more. */
  void abandon(String why) {
    mailbox.put(() -> lost(why, false));
  }

  /** When the lane was taken. */
  long takenAt() {
    return takenAt;
  }

  /** When the loop last turned round; a loop that hangs must not keep its lane. */
  long lastRoundAt() {
    return lastRoundAt;
  }

  /** Since when it waits for the database; now, if it does not. The same holds for that. */
  long waitsForStoreSince(long now) {
    return work.oldestOpenCall(now);
  }

  /** The destination does not answer this relay; another might reach it. */
  boolean unreachable() {
    return work.steering().unreachable();
  }

  /** It was given back. */
  boolean released() {
    return released;
  }

  /** It ended because something is wrong, not because it was asked to. */
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
        engine.setAside(now, context.config().slowAfter());
        check.startIfDue(now);
        if (send()) {
          didWork = true;
          // Of a connector that answers at once; so that one settle has them all.
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
          .log("Lane {} stopped by an unexpected error; it will be taken again", lane);
      over = true;
      failed = true;
    } finally {
      engine.endSpans();
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
    // It shows that it lives much more often than its lease asks for.
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
    // Looked up here and not before: a pause of the program in between must not go unnoticed.
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
              "Lane {} could not be given back; it is free when the lease ends: {}",
              lane,
              e.getMessage());
    }
  }

  private void lost(String why, boolean somethingIsWrong) {
    if (!over) {
      over = true;
      failed = somethingIsWrong;
      log(Level.WARN).log("Lane {} is lost: {}", lane, why);
      context.observer().on(new Event.LaneLost(destination.name(), why));
    }
  }

  private LoggingEventBuilder log(Level level) {
    return LOG.atLevel(level).addKeyValue(LogFields.DESTINATION, destination.name());
  }
}
