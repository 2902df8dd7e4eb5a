package io.posthorn.postgresql.lane;

import io.posthorn.core.store.Head;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The sequence's value, and a snapshot that names all transactions that had begun when the value
 * was read. There is news if the sequence has moved since, or if a transaction that was running
 * then has committed messages: its commit does not move the sequence.
 *
 * @param late transactions that ran during an earlier look and have committed messages since
 * @param rewound destinations that are being rewound; null if this was not read
 * @param waits the destination of the lane that looked, if nothing may be read for it before its
 *     rewind ends: only that end is news to the lane
 */
public record LogHead(
    long low,
    Snapshot snapshot,
    List<Long> late,
    @Nullable Set<String> rewound,
    @Nullable String waits)
    implements Head {
  /** A head to which everything is news. */
  static final LogHead NONE = new LogHead(-1, Snapshot.NOTHING, List.of(), null, null);

  /** Returns the head that a lane has seen. */
  static LogHead seen(long low, Snapshot snapshot) {
    return new LogHead(low, snapshot, List.of(), null, null);
  }

  /** Returns the head that a lane has seen whose destination is being rewound. */
  static LogHead whileRewound(String destination) {
    return new LogHead(-1, Snapshot.NOTHING, List.of(), null, destination);
  }

  @Override
  public boolean newsSince(Head earlier) {
    LogHead before = (LogHead) earlier;
    if (before.waits != null) {
      return rewound != null && !rewound.contains(before.waits);
    }
    return low != before.low
        || late.stream().anyMatch(transaction -> !before.snapshot.sees(transaction));
  }
}
