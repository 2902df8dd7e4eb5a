package io.posthorn.postgresql;

import io.posthorn.core.store.Head;

/**
 * The sequence's value, and a snapshot that names all transactions that had begun when the value
 * was read. Something may be new if the sequence moved, or if a transaction that was running then
 * is finished now: a straggler commits without moving the sequence.
 */
record LogHead(long low, Snapshot snapshot) implements Head {
  private static final long WRAP = 1L << 32;
  private static final long MOST = 1_000;

  /**
   * @param next the lower half of the next transaction's id, read after the snapshot and the
   *     sequence
   */
  static LogHead of(long low, Snapshot snapshot, long next) {
    long begun = Math.floorMod(next - snapshot.xmax(), WRAP);
    return new LogHead(low, snapshot.upTo(snapshot.xmax() + Math.min(begun, MOST)));
  }

  @Override
  public boolean newsSince(Head earlier) {
    LogHead before = (LogHead) earlier;
    return low != before.low || !before.snapshot.finishedBy(snapshot).isEmpty();
  }
}
