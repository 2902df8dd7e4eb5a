package io.posthorn.kafka;

import java.util.OptionalLong;
import java.util.TreeSet;

/**
 * One partition in the hands of one feed, from when it was assigned until it is revoked. A
 * partition that comes back is another holding: what was polled before is handed out again.
 */
final class Holding {
  private final TreeSet<Long> inHand = new TreeSet<>();
  private long next = -1;
  private long committed = -1;

  /** Where a message was found. */
  record Place(Holding holding, long offset) {}

  /** The group has no position here yet, or lost it: this one is to be committed. */
  static Holding startingAt(long offset) {
    Holding holding = new Holding();
    holding.next = offset;
    return holding;
  }

  Place handOut(long offset) {
    if (next < 0) {
      committed = offset;
    }
    inHand.add(offset);
    next = offset + 1;
    return new Place(this, offset);
  }

  void done(long offset) {
    inHand.remove(offset);
  }

  /** Up to the first that is not done; nothing if that is committed already. */
  OptionalLong toCommit() {
    long point = inHand.isEmpty() ? next : inHand.first();
    return point > committed ? OptionalLong.of(point) : OptionalLong.empty();
  }

  void committed(long offset) {
    committed = offset;
  }
}
