package io.posthorn.core.relay;

import io.posthorn.core.message.Key;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The order of each key in a lane's memory. Only the first of a chain may be on its way.
 *
 * <p>A key of which something was decided to be parked is blocked here until that is stored, and
 * until a claim that began before has been taken in: from then on the database says so to every
 * claim. Without it, a later message could be claimed as free in between and overtake.
 */
final class KeyChains {
  private final Map<Key, Slot> tails = new HashMap<>();
  private final Map<Key, Integer> unstored = new HashMap<>();
  private final Set<Key> unblockAfterClaim = new HashSet<>();

  /** Appends to the chain of its key; true if it is the first and may go. */
  boolean append(Slot slot, Key key) {
    Slot tail = tails.put(key, slot);
    if (tail == null) {
      return true;
    }
    tail.next = slot;
    return false;
  }

  /** The first of the chain is done; returns the one that may go now. */
  @Nullable Slot advance(Slot first, Key key) {
    Slot next = first.next;
    first.next = null;
    if (next == null) {
      tails.remove(key);
    }
    return next;
  }

  /** Ends the chain; returns what stood behind its first, linked by {@code next}. */
  @Nullable Slot cut(Slot first, Key key) {
    tails.remove(key);
    Slot rest = first.next;
    first.next = null;
    return rest;
  }

  boolean isBlocked(Key key) {
    return unstored.containsKey(key);
  }

  /** A message of this key will be parked. */
  void parked(Key key) {
    unstored.merge(key, 1, Integer::sum);
  }

  /** A message of this key is stored as parked. */
  void stored(Key key, boolean claimUnderWay) {
    int left = unstored.merge(key, -1, Integer::sum);
    if (left == 0) {
      if (claimUnderWay) {
        unblockAfterClaim.add(key);
      } else {
        unstored.remove(key);
      }
    }
  }

  void forget() {
    tails.clear();
    unstored.clear();
    unblockAfterClaim.clear();
  }

  /** The claim that was under way has been taken in. */
  void claimTaken() {
    for (Key key : unblockAfterClaim) {
      unstored.remove(key, 0);
    }
    unblockAfterClaim.clear();
  }
}
