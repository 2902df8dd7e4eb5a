package io.posthorn.core.relay;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The progress ids that a read may find as the newest of its lane: those that this relay has
 * written, or may have written. An id that was followed by another is kept until every read that
 * began before has ended, so the set is as large as the number of settles during one read. All
 * methods but {@link #ids} are called on the lane's own thread.
 */
final class WrittenProgress {
  /** An id that was followed by another, and the last read that may still find it. */
  private record Followed(UUID id, long read) {}

  private final Set<UUID> ids = ConcurrentHashMap.newKeySet();
  private final Deque<UUID> present = new ArrayDeque<>();
  private final Deque<Followed> past = new ArrayDeque<>();

  /** The ids, for a read on any thread; the set may change during the read. */
  Set<UUID> ids() {
    return ids;
  }

  /** This id is about to be written. */
  void add(UUID id) {
    ids.add(id);
    present.add(id);
  }

  /** No read is running, and only this id counts. */
  void only(UUID id) {
    ids.clear();
    present.clear();
    past.clear();
    add(id);
  }

  /**
   * This id is the newest that is stored.
   *
   * @param newestRead the newest read that has begun; later reads find this id
   */
  void newestIs(UUID id, long newestRead) {
    while (!present.isEmpty() && !(present.size() == 1 && id.equals(present.peek()))) {
      UUID before = present.remove();
      if (before.equals(id)) {
        present.add(before);
      } else {
        past.add(new Followed(before, newestRead));
      }
    }
  }

  /** All reads up to this number have ended. */
  void readsEnded(long read) {
    while (!past.isEmpty() && past.peek().read <= read) {
      ids.remove(past.remove().id);
    }
  }
}
