package io.posthorn.core.relay;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The progress ids that a page read ahead may find as the newest of its lane: those this relay has
 * written, or may have. An id that was followed by another is kept only until every read has ended
 * that began before, so there are as many as settles are made during one read. All methods but
 * {@link #ids} are called on the lane's own thread.
 */
final class WrittenProgress {
  /** One that was followed by another, and the last read that may find it all the same. */
  private record Past(UUID id, long read) {}

  private final Set<UUID> ids = ConcurrentHashMap.newKeySet();
  private final Deque<UUID> present = new ArrayDeque<>();
  private final Deque<Past> past = new ArrayDeque<>();

  /** For a read, on any thread; it may change meanwhile. */
  Set<UUID> ids() {
    return ids;
  }

  /** It is about to be written. */
  void add(UUID id) {
    ids.add(id);
    present.add(id);
  }

  /** Nothing is being read, and only this one counts. */
  void only(UUID id) {
    ids.clear();
    present.clear();
    past.clear();
    add(id);
  }

  /**
   * This one is the newest that is stored.
   *
   * @param newestRead the newest read that has begun; those that begin from now on find this one
   */
  void newestIs(UUID id, long newestRead) {
    while (!present.isEmpty() && !(present.size() == 1 && id.equals(present.peek()))) {
      UUID before = present.remove();
      if (before.equals(id)) {
        present.add(before);
      } else {
        past.add(new Past(before, newestRead));
      }
    }
  }

  /** All reads up to this one have ended. */
  void readsEnded(long read) {
    while (!past.isEmpty() && past.peek().read <= read) {
      ids.remove(past.remove().id);
    }
  }
}
