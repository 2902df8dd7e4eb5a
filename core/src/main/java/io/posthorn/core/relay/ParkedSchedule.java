package io.posthorn.core.relay;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Knows when a lane claims parked messages again. */
final class ParkedSchedule {
  /**
   * The claimed messages wait for a settle or an answer: an earlier claim would find them again.
   */
  private static final long NOTHING_STARTED_PAUSE = Duration.ofMillis(200).toNanos();

  /** Longer than the pause before the next settle, which a failing claim must not hold up. */
  private static final long FAILED_PAUSE = Duration.ofSeconds(1).toNanos();

  /** While the database refuses a parked message, every claim finds that message again. */
  private static final long STUCK_PAUSE = Duration.ofSeconds(1).toNanos();

  /**
   * For this long at most, no page is taken in after a claim of which nothing could start: time for
   * a settle and another claim.
   */
  private static final long MAKE_WAY = Duration.ofMillis(500).toNanos();

  /** A message may be scheduled for later than a long of nanoseconds reaches. */
  private static final Duration LONGEST_WAIT = Duration.ofDays(1);

  private final Ticker ticker;
  private final LaneEngine engine;
  private @Nullable TrackedBatch claimed;
  private long dueAt = Long.MAX_VALUE;
  private long notBefore;
  private boolean makingWay;
  private long makingWayUntil;

  ParkedSchedule(Ticker ticker, LaneEngine engine) {
    this.ticker = ticker;
    this.engine = engine;
    this.notBefore = ticker.nanoTime();
  }

  /** A parked message may be due by this time. */
  void dueBy(long time) {
    dueAt = Math.min(dueAt, time);
  }

  /** The database says when the next parked message is due; null if it knows of none. */
  void dueIn(@Nullable Duration wait) {
    dueAt = wait == null ? Long.MAX_VALUE : ticker.nanoTime() + bounded(wait).toNanos();
  }

  private static Duration bounded(Duration wait) {
    return wait.compareTo(LONGEST_WAIT) < 0 ? wait : LONGEST_WAIT;
  }

  boolean isDue(long now) {
    return now >= dueAt && now >= notBefore;
  }

  long nextAt() {
    return Math.max(dueAt, notBefore);
  }

  /** Whether messages of the last claim are still in memory, apart from those that are stuck. */
  boolean isLastClaimOpen() {
    return claimed != null
        && engine.parkedBatches().contains(claimed)
        && !engine.refusals().allStuck(claimed);
  }

  void claimStarted() {
    dueAt = Long.MAX_VALUE;
  }

  /**
   * Whether the lane should take in no page now, and store what is decided. Nothing of the last
   * claim could start, because later messages of its keys are parked in memory and not stored yet.
   * If each page has such messages, a retry would otherwise wait for the end of the backlog.
   */
  boolean makesWay(long now) {
    return makingWay && now < makingWayUntil;
  }

  /** What was decided is stored, so messages that could not start may be able to now. */
  void stored() {
    if (makingWay) {
      notBefore = ticker.nanoTime();
    }
  }

  /**
   * A claim returned messages.
   *
   * @param batch what the engine took in; null if none of the messages can start yet
   */
  void claimed(@Nullable TrackedBatch batch) {
    claimed = batch;
    // Not twice in a row: if this claim did not find what it could start, another cause may last.
    makingWay = batch == null && !makingWay;
    if (batch == null) {
      dueAt = ticker.nanoTime();
      notBefore = dueAt + NOTHING_STARTED_PAUSE;
      makingWayUntil = dueAt + MAKE_WAY;
    } else if (engine.refusals().anyStuck()) {
      notBefore = ticker.nanoTime() + STUCK_PAUSE;
    }
  }

  void foundNothing() {
    makingWay = false;
  }

  void claimFailed() {
    makingWay = false;
    dueAt = ticker.nanoTime();
    notBefore = dueAt + FAILED_PAUSE;
  }
}
