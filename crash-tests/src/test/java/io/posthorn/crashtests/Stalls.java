package io.posthorn.crashtests;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * How long this machine kept a thread waiting that wanted to run. A bound on the time until another
 * relay takes over is a promise about Posthorn, not about a machine on which everything stands
 * still now and then; so what it lost is added to the bound.
 */
final class Stalls {
  private static final long NAP = Duration.ofMillis(10).toNanos();
  private static final AtomicLong LOST = new AtomicLong();

  static {
    Thread watcher =
        new Thread(
            () -> {
              long before = System.nanoTime();
              while (true) {
                LockSupport.parkNanos(NAP);
                long now = System.nanoTime();
                LOST.addAndGet(Math.max(0, now - before - 2 * NAP));
                before = now;
              }
            },
            "stalls");
    watcher.setDaemon(true);
    watcher.start();
  }

  private Stalls() {}

  /** The time lost so far. */
  static Duration sum() {
    return Duration.ofNanos(LOST.get());
  }
}
