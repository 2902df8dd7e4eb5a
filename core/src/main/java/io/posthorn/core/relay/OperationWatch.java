package io.posthorn.core.relay;

import io.posthorn.core.error.Sanitiser;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries operations out, a step at a time on a store thread, so that nobody waits for them. Any
 * relay may: who works on one keeps the others off it.
 */
final class OperationWatch {
  private static final Logger LOG = LoggerFactory.getLogger(OperationWatch.class);

  /** A step locks lanes: after it, live traffic has them for as long, but no longer than this. */
  private static final long COURTESY = Duration.ofMillis(20).toNanos();

  private static final long LONGEST_PAUSE = Duration.ofSeconds(1).toNanos();

  private final RelayContext context;
  private final Runnable stepEnded;
  private boolean running;
  private volatile boolean busy;
  private volatile long nextAt;
  private volatile long pause = LONGEST_PAUSE;

  /**
   * @param stepEnded called when a step has ended
   */
  OperationWatch(RelayContext context, Runnable stepEnded) {
    this.context = context;
    this.stepEnded = stepEnded;
    this.nextAt = context.ticker().nanoTime();
  }

  /** Whether an operation runs, by the last look. */
  void running(boolean someOperationRuns) {
    running = someOperationRuns;
  }

  void look(long now) {
    if (!running || busy || now - nextAt < 0) {
      return;
    }
    busy = true;
    try {
      context.storeThreads().execute(this::work);
    } catch (RuntimeException | Error e) {
      busy = false;
      throw e;
    }
  }

  boolean busy() {
    return busy;
  }

  /** When to look again; far away if there is nothing to do. */
  long nextAt(long now) {
    return running && !busy ? nextAt : now + Duration.ofDays(1).toNanos();
  }

  /**
   * How often lanes are to be asked for parked messages that are due: as often as operations, by
   * this relay or another, may put some there.
   */
  long parkedLookInterval() {
    return running ? Math.max(pause, COURTESY) : Long.MAX_VALUE;
  }

  private void work() {
    long began = context.ticker().nanoTime();
    long next = LONGEST_PAUSE;
    try {
      next = context.store().runOperations().map(Duration::toNanos).orElse(LONGEST_PAUSE);
    } catch (RuntimeException | Error e) {
      LOG.atLevel(context.warnOnce().warnLevel("operations"))
          .log("An operation could not go on, trying again: {}", Sanitiser.text(e));
    } finally {
      long ended = context.ticker().nanoTime();
      // Another operation may be started meanwhile.
      pause = Math.min(next, LONGEST_PAUSE);
      nextAt = ended + Math.max(pause, Math.min(ended - began, COURTESY));
      busy = false;
      stepEnded.run();
    }
  }
}
