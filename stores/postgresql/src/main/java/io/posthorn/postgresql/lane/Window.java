package io.posthorn.postgresql.lane;

import java.util.List;

/**
 * The messages that s2 sees and s1 does not.
 *
 * @param low1 transactions that s1 neither sees nor names as running have only higher numbers
 * @param low2 the same for s2
 * @param high2 the sequence's value after s2: no message that s2 sees has a higher number
 */
public record Window(Snapshot s1, long low1, Snapshot s2, long low2, long high2) {
  /** Returns the transactions whose messages may lie below low1. */
  public List<Long> stragglers() {
    return s1.finishedBy(s2);
  }

  /** Returns the window that follows this one. */
  Window next(Snapshot now, long low, long high) {
    return new Window(s2, low2, now, low, high);
  }
}
