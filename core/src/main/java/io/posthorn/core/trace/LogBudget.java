package io.posthorn.core.trace;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Bounds what a log gets in a second, so that logging never becomes the main work of a program
 * whose handlers all fail: {@value #LINES} lines, and at most twice {@value #STACKS} stack traces.
 * The first {@value #STACKS} lines have a stack trace; after them, the first line of each kind of
 * failure.
 */
final class LogBudget {
  static final int LINES = 100;
  static final int STACKS = 10;

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final LongSupplier nanoTime;
  private final Set<String> kinds = new HashSet<>();
  private long since;
  private int taken;
  private int laterStacks;

  LogBudget(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.since = nanoTime.getAsLong();
  }

  /**
   * What one failure gets.
   *
   * @param line whether it has a line of its own
   * @param stack whether the line has a stack trace
   * @param leftOut how many got no line since this was last asked in another second
   */
  record Share(boolean line, boolean stack, int leftOut) {}

  synchronized Share take(String kind) {
    int leftOut = 0;
    long now = nanoTime.getAsLong();
    if (now - since >= SECOND) {
      leftOut = Math.max(0, taken - LINES);
      since = now;
      taken = 0;
      laterStacks = 0;
      kinds.clear();
    }
    taken++;
    boolean stack = taken <= STACKS;
    // The bound comes first: codes may be copied from messages, and are not remembered without end.
    if (kinds.size() < 2 * STACKS && kinds.add(kind) && !stack && laterStacks < STACKS) {
      laterStacks++;
      stack = true;
    }
    return new Share(taken <= LINES, stack, leftOut);
  }
}
