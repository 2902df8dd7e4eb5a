package io.posthorn.core.relay;

import io.posthorn.core.message.Key;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the order of each key in a lane's memory. Only the first message of a chain can be in
 * flight.
 *
 * <p>When a message is going to be parked, its key is blocked for messages of the log. The block
 * ends when the parking is stored and every page is taken in whose reading began before that: from
 * then on each page read from the database says that the key is blocked. Without the block, a later
 * message could be read as free in between and overtake.
 *
 * <p>The block does not hold up parked messages. They are retried as soon as every parking of their
 * key is stored, even while pages are in reserve, since those pages can take hours. No message is
 * overtaken, because a page of the log holds only messages that come after the parked ones:
 *
 * <ul>
 *   <li>A page whose reading began before the parking was stored may have found the key free. The
 *       block lasts until this page is taken in, even if the retry was sent or is dead by then.
 *       Messages of the key in this page are parked and wait for their turn, since other messages
 *       of the key may be parked of which only the database knows.
 *   <li>Their parking starts the block again, for pages whose reading began in the meantime. Those
 *       pages may have found the key free, because the retry was gone and the message was not
 *       parked yet.
 *   <li>A page whose reading began after the parking was stored either says that the key is
 *       blocked, or was read when no message of the key was parked any more.
 *   <li>A message that is requeued or falls due can belong before messages that are in memory. It
 *       is appended to the chain of its key, and the store holds it back while the log has unread
 *       or unsettled messages that it must not overtake.
 * </ul>
 */
final class KeyChains {
  private final Map<Key, TrackedDelivery> tails = new HashMap<>();
  private final Map<Key, Integer> parkedNotStored = new HashMap<>();

  /** The last read that may not have seen that a message of the key is stored as parked. */
  private final Map<Key, Long> unblockAfter = new HashMap<>();

  private final AtomicLong readsBegun = new AtomicLong();
  private long readsTaken;

  /** Appends to the chain of its key; returns true if the message is the first and can start. */
  boolean append(TrackedDelivery tracked, Key key) {
    TrackedDelivery tail = tails.put(key, tracked);
    if (tail == null) {
      return true;
    }
    tail.next = tracked;
    return false;
  }

  /** Removes the first of the chain, which is done; returns the next, which can start now. */
  @Nullable TrackedDelivery advance(TrackedDelivery first, Key key) {
    TrackedDelivery next = first.next;
    first.next = null;
    if (next == null) {
      tails.remove(key);
    }
    return next;
  }

  /** Ends the chain; returns the messages behind its first, linked by {@code next}. */
  @Nullable TrackedDelivery cut(TrackedDelivery first, Key key) {
    tails.remove(key);
    TrackedDelivery rest = first.next;
    first.next = null;
    return rest;
  }

  /** Whether a message of the log must be parked behind other messages of its key. */
  boolean isBlocked(Key key) {
    return parkedNotStored.containsKey(key);
  }

  /** Whether a message of this key is going to be parked and is not stored as parked yet. */
  boolean isUnstored(Key key) {
    return parkedNotStored.getOrDefault(key, 0) > 0;
  }

  /** Says that a message of this key is going to be parked. */
  void parked(Key key) {
    parkedNotStored.merge(key, 1, Integer::sum);
  }

  /** Says that a message of this key is stored as parked. */
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

  /** Says that a read begins, on any thread; returns its number. */
  long readBegins() {
    return readsBegun.incrementAndGet();
  }

  /** The number of the newest read that has begun. */
  long newestRead() {
    return readsBegun.get();
  }

  /** Says that all pages up to this read are taken in, or never will be. */
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

  /** Says that no page is being read and none waits to be taken in. */
  void allReadsTaken() {
    readTaken(newestRead());
  }
}
