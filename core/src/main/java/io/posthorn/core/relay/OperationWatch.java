package io.posthorn.core.relay;

import io.posthorn.core.error.Sanitiser;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out operations, one step at a time on a store thread, so that no delivery waits for them.
 * Any relay can do so; while one relay works on an operation, the others leave it alone.
 */
final class OperationWatch {
  private static final Logger LOG = LoggerFactory.getLogger(OperationWatch.class);

  /**
   * A step locks lanes. After it, live traffic has them for as long as the step took, but no longer
   * than this.
   */
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

  /** Says whether the last check saw a running operation. */
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

  /** When the next step is due; far in the future if no operation runs. */
  long nextAt(long now) {
    return running && !busy ? nextAt : now + Duration.ofDays(1).toNanos();
  }

  /**
   * How often to check for parked messages that are due. While operations run, in this relay or
   * another, each step can add some.
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
          .log("A step of an operation failed; the relay retries it: {}", Sanitiser.text(e));
    } finally {
      long ended = context.ticker().nanoTime();
      // Bounded, since another operation may be started in the meantime.
      pause = Math.min(next, LONGEST_PAUSE);
      nextAt = ended + Math.max(pause, Math.min(ended - began, COURTESY));
      busy = false;
      stepEnded.run();
    }
  }
}
