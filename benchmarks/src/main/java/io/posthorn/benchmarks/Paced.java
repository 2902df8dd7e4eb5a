package io.posthorn.benchmarks;

import java.time.Duration;
import java.util.stream.LongStream;

/**
 * Numbers from 1 on, so many a second, and no more than some thousands ahead of what has come of
 * them: what is behind does not pile up.
 */
final class Paced {
  private static final int MOST_AHEAD = 10_000;

  private final double perSecond;
  private final long began = System.nanoTime();
  private long given;
  private long done;
  private boolean stopped;

  Paced(double perSecond) {
    this.perSecond = perSecond;
  }

  /** The next ones, if any are due before the wait is over. */
  synchronized long[] next(int most, Duration wait) throws InterruptedException {
    long until = System.nanoTime() + wait.toNanos();
    long now = System.nanoTime();
    for (; due(now) == 0 && now - until < 0; now = System.nanoTime()) {
      wait(5);
    }
    long first = given + 1;
    given += Math.min(most, due(now));
    return LongStream.rangeClosed(first, given).toArray();
  }

  private long due(long now) {
    long wanted = (long) ((now - began) / 1e9 * perSecond);
    return stopped ? 0 : Math.max(0, Math.min(wanted, done + MOST_AHEAD) - given);
  }

  /** One of them has come to its end. */
  synchronized void done() {
    done++;
  }

  /** From now on none is due. */
  synchronized void stop() {
    stopped = true;
  }

  synchronized long given() {
    return given;
  }

  synchronized long left() {
    return given - done;
  }
}
