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

  private static final long FAILED_PAUSE = Duration.ofSeconds(1).toNanos();

  private final RelayContext context;
  private boolean any;
  private volatile boolean busy;
  private volatile long nextAt;
  private volatile long pause = FAILED_PAUSE;

  OperationWatch(RelayContext context) {
    this.context = context;
    this.nextAt = context.ticker().nanoTime();
  }

  /** Whether an operation runs, by the last look. */
  void any(boolean running) {
    any = running;
  }

  void look(long now) {
    if (!any || busy || now - nextAt < 0) {
      return;
    }
    busy = true;
    context.storeThreads().execute(this::work);
  }

  boolean busy() {
    return busy;
  }

  /** When to look again; far away if there is nothing to do. */
  long nextAt(long now) {
    return any && !busy ? nextAt : now + Duration.ofDays(1).toNanos();
  }

  /**
   * How often lanes are to be asked for parked messages that are due: as often as operations, by
   * this relay or another, may put some there.
   */
  long lookEvery() {
    return any ? Math.max(pause, COURTESY) : Long.MAX_VALUE;
  }

  private void work() {
    long began = context.ticker().nanoTime();
    long next = FAILED_PAUSE;
    try {
      next = context.store().runOperations().map(Duration::toNanos).orElse(FAILED_PAUSE);
    } catch (RuntimeException e) {
      LOG.warn("An operation could not go on, trying again: {}", Sanitiser.text(e));
    } finally {
      long ended = context.ticker().nanoTime();
      pause = next;
      nextAt = ended + Math.max(next, Math.min(ended - began, COURTESY));
      busy = false;
    }
  }
}
