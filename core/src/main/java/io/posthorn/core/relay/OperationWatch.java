package io.posthorn.core.relay;

import io.posthorn.core.error.Sanitiser;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries operations out, a step at a time on a store thread, so that nobody waits for them. Any
 * relay may: who works on one keeps the others off it.
 */
final class OperationWatch {
  private static final Logger LOG = LoggerFactory.getLogger(OperationWatch.class);

  /** Steps in a row; then others get the thread. */
  private static final int STEPS = 20;

  private static final long AT_ONCE = Duration.ofMillis(5).toNanos();
  private static final long FAILED_PAUSE = Duration.ofSeconds(1).toNanos();

  private final RelayContext context;
  private boolean any;
  private volatile boolean busy;
  private volatile long nextAt;

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

  private void work() {
    long pause = FAILED_PAUSE;
    try {
      for (int step = 0; step < STEPS; step++) {
        Optional<Duration> next = context.store().runOperations();
        pause = next.map(Duration::toNanos).orElse(FAILED_PAUSE);
        if (pause > 0) {
          break;
        }
      }
    } catch (RuntimeException e) {
      LOG.warn("An operation could not go on, trying again: {}", Sanitiser.text(e));
    } finally {
      nextAt = context.ticker().nanoTime() + Math.max(pause, AT_ONCE);
      busy = false;
    }
  }
}
