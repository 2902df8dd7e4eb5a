package io.posthorn.core.relay;

import io.posthorn.core.message.Key;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The order of each key in a lane's memory. Only the first of a chain may be on its way.
 *
 * <p>A key of which something was decided to be parked is blocked here until that is stored, and
 * until every page has been taken in whose reading began before: from then on the database says so
 * to whoever reads. Without it, a later message could be read as free in between and overtake.
 *
 * <p>That block is for messages of the log. Parked messages of the key are tried as soon as
 * everything of it is stored, whatever stands in reserve: the pages there may take hours. Nothing
 * is overtaken, because a page of the log holds only what comes after the parked ones:
 *
 * <ul>
 *   <li>A page whose reading began before the parking was stored may take the key for free. The
 *       block lasts until it is taken in, also if the retry has been sent, or is dead, by then.
 *       What it holds of the key is parked, and goes when its turn comes: others of its key may be
 *       parked, of which only the database knows.
 *   <li>That parking begins the block again, for the pages whose reading began meanwhile: they may
 *       have found the key free, because the retry was gone and this message was not parked yet.
 *   <li>A page whose reading began after the parking was stored knows of it, or was read when all
 *       parked ones of the key were gone.
 *   <li>A message that is requeued, or falls due, can stand before messages that are in memory. It
 *       is appended to the chain of its key, and the store keeps it back while the log holds unread
 *       or unsettled ones that it must not overtake.
 * </ul>
 */
final class KeyChains {
  private final Map<Key, TrackedDelivery> tails = new HashMap<>();
  private final Map<Key, Integer> parkedNotStored = new HashMap<>();

  /** Which read is the last that may not have seen that the key is stored as parked. */
  private final Map<Key, Long> unblockAfter = new HashMap<>();

  private final AtomicLong readsBegun = new AtomicLong();
  private long readsTaken;

  /** Appends to the chain of its key; true if it is the first and may go. */
  boolean append(TrackedDelivery tracked, Key key) {
    TrackedDelivery tail = tails.put(key, tracked);
    if (tail == null) {
      return true;
    }
    tail.next = tracked;
    return false;
  }

  /** The first of the chain is done; returns the one that may go now. */
  @Nullable TrackedDelivery advance(TrackedDelivery first, Key key) {
    TrackedDelivery next = first.next;
    first.next = null;
    if (next == null) {
      tails.remove(key);
    }
    return next;
  }

  /** Ends the chain; returns what stood behind its first, linked by {@code next}. */
  @Nullable TrackedDelivery cut(TrackedDelivery first, Key key) {
    tails.remove(key);
    TrackedDelivery rest = first.next;
    first.next = null;
    return rest;
  }

  /** A message of the log must queue up behind parked ones of its key. */
  boolean isBlocked(Key key) {
    return parkedNotStored.containsKey(key);
  }

  /** A message of this key will be parked, and the database does not know yet. */
  boolean isUnstored(Key key) {
    return parkedNotStored.getOrDefault(key, 0) > 0;
  }

  /** A message of this key will be parked. */
  void parked(Key key) {
    parkedNotStored.merge(key, 1, Integer::sum);
  }

  /** A message of this key is stored as parked. */
  void stored(Key key) {
    int left = parkedNotStored.merge(key, -1, Integer::sum);
    if (left == 0) {
      long newest = newestRead();
      if (newest > readsTaken) {
        unblockAfter.put(key, newest);
      } else {
        parkedNotStored.remove(key);
      }
    }
  }

  void forget() {
    tails.clear();
    parkedNotStored.clear();
    unblockAfter.clear();
  }

  /** A page is going to be read ahead, on any thread; returns which it is. */
  long readBegins() {
    return readsBegun.incrementAndGet();
  }

  /** The newest page whose reading has begun. */
  long newestRead() {
    return readsBegun.get();
  }

  /** All pages up to this one have been taken in, or will not be. */
  void readTaken(long read) {
    readsTaken = read;
    unblockAfter
        .entrySet()
        .removeIf(
            entry -> {
              boolean seen = entry.getValue() <= read;
              if (seen) {
                parkedNotStored.remove(entry.getKey(), 0);
              }
              return seen;
            });
  }

  /** Nothing is being read, and nothing waits to be taken in. */
  void allReadsTaken() {
    readTaken(newestRead());
  }
}
