package io.posthorn.benchmarks;

import java.time.Duration;
import java.util.stream.LongStream;

/**
 * Gives out numbers from 1 on at a fixed rate. At most 10,000 of them may be unfinished, so that a
 * backlog does not pile up.
 */
final class PacedNumbers {
  private static final int MOST_AHEAD = 10_000;

  private final double perSecond;
  private final long began = System.nanoTime();
  private long given;
  private long done;
  private boolean stopped;

  PacedNumbers(double perSecond) {
    this.perSecond = perSecond;
  }

  /**
   * Returns the next numbers, up to the given count, or none if none is due before the wait ends.
   */
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

  /** Reports that one number is finished. */
  synchronized void done() {
    done++;
  }

  /** Gives out no more numbers. */
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
