package io.posthorn.postgresql;

import io.posthorn.core.store.Head;
import java.util.List;

/**
 * The sequence's value, and a snapshot that names all transactions that had begun when the value
 * was read. Something is new if the sequence has moved since, or if a transaction that was running
 * then has committed messages: that does not move the sequence.
 *
 * @param late transactions that ran while somebody looked, and have committed messages since
 */
record LogHead(long low, Snapshot snapshot, List<Long> late) implements Head {
  /** Everything is news to it. */
  static final LogHead NONE = new LogHead(-1, Snapshot.NOTHING, List.of());

  @Override
  public boolean newsSince(Head earlier) {
    LogHead before = (LogHead) earlier;
    return low != before.low
        || late.stream().anyMatch(transaction -> !before.snapshot.sees(transaction));
  }
}
