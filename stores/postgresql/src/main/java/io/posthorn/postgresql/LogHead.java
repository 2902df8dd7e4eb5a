package io.posthorn.postgresql;

import io.posthorn.core.store.Head;

/**
 * The sequence's value, read before the snapshot. Something may be new if the sequence moved, or if
 * a transaction that was running then is finished now: a straggler commits without moving the
 * sequence.
 */
record LogHead(long low, Snapshot snapshot) implements Head {
  @Override
  public boolean newsSince(Head earlier) {
    LogHead before = (LogHead) earlier;
    return low != before.low || !before.snapshot.finishedBy(snapshot).isEmpty();
  }
}
