package io.posthorn.kafka;

import java.util.OptionalLong;
import java.util.TreeSet;

/**
 * One assigned partition of one feed, from its assignment until it is revoked.
 *
 * <p>A partition that is assigned again gets a new instance, so earlier messages are handed out
 * again.
 */
final class HeldPartition {
  private final TreeSet<Long> handedOut = new TreeSet<>();
  private long next = -1;
  private long committed = -1;

  /** Where a message was read. */
  record Place(HeldPartition holding, long offset) {}

  /** Starts where the group has no position yet, or lost it: this offset is to be committed. */
  static HeldPartition startingAt(long offset) {
    HeldPartition holding = new HeldPartition();
    holding.next = offset;
    return holding;
  }

  Place handOut(long offset) {
    if (next < 0) {
      committed = offset;
    }
    handedOut.add(offset);
    next = offset + 1;
    return new Place(this, offset);
  }

  void done(long offset) {
    handedOut.remove(offset);
  }

  /** Returns the first offset that is not done, or nothing if that offset is already committed. */
  OptionalLong toCommit() {
    long point = handedOut.isEmpty() ? next : handedOut.first();
    return point > committed ? OptionalLong.of(point) : OptionalLong.empty();
  }

  void committed(long offset) {
    committed = offset;
  }
}
