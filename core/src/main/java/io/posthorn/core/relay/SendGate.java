package io.posthorn.core.relay;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Lets messages through as the limits of the destination, and of single types, allow; and no more
 * than a crash may deliver twice, be they of the log or parked.
 */
final class SendGate {
  /** What the gate says to a message. */
  enum Answer {
    GO,
    /** Its type is at its limit; it is kept here until it may go, and others may pass. */
    KEPT,
    /** Something must be settled before one that was not handed over yet may go. */
    UNSETTLED,
    /** The destination is at its limit. */
    CLOSED
  }

  private final Destination destination;
  private final SafeConnector word;
  private final TokenBucket bucket;
  private final Map<String, TypeGate> types = new HashMap<>();
  private final int mostUnsettled;
  private final Deque<TrackedDelivery> afterSettle = new ArrayDeque<>();
  private int inFlight;
  private int unsettled;

  SendGate(Destination destination, SafeConnector word, int mostUnsettled, long now) {
    this.destination = destination;
    this.word = word;
    this.mostUnsettled = mostUnsettled;
    this.bucket = new TokenBucket(destination.limit().perSecond(), now);
  }

  Answer ask(TrackedDelivery slot, long now) {
    if (full()) {
      return Answer.CLOSED;
    }
    if (mustWait(slot)) {
      return Answer.UNSETTLED;
    }
    TypeGate type = type(slot, now);
    if (type != null && !type.tryPass(now)) {
      type.kept.add(slot);
      return Answer.KEPT;
    }
    if (!bucket.tryTake(now)) {
      if (type != null) {
        type.turnBack();
      }
      return Answer.CLOSED;
    }
    inFlight++;
    return Answer.GO;
  }

  /** So much is handed over and not settled that no other may be. */
  boolean mustWait(TrackedDelivery slot) {
    return !slot.handed && unsettledFull();
  }

  int unsettled() {
    return unsettled;
  }

  boolean unsettledFull() {
    return unsettled >= mostUnsettled;
  }

  /** Keeps it until something is settled, so that those behind it may pass. */
  void keepUntilSettled(TrackedDelivery slot) {
    afterSettle.add(slot);
  }

  /** Lets it through whatever the limits say: a probe. */
  void force(TrackedDelivery slot, long now) {
    TypeGate type = type(slot, now);
    if (type != null) {
      type.inFlight++;
    }
    inFlight++;
  }

  /** It is with the receiver, or was. */
  void handed(TrackedDelivery slot) {
    if (!slot.handed) {
      slot.handed = true;
      unsettled++;
    }
  }

  /** What came of it is written down. */
  void settled(TrackedDelivery slot) {
    if (slot.handed) {
      unsettled--;
    }
  }

  void answered(TrackedDelivery slot) {
    inFlight--;
    TypeGate type = types.get(slot.delivery.message().type());
    if (type != null) {
      type.inFlight--;
    }
  }

  /** Moves what was kept and may be asked again to the line. */
  void letBack(Consumer<TrackedDelivery> line) {
    if (!unsettledFull()) {
      afterSettle.forEach(line);
      afterSettle.clear();
    }
    for (TypeGate type : types.values()) {
      if (type.inFlight < type.limit.maxInFlight()) {
        type.kept.forEach(line);
        type.kept.clear();
      }
    }
  }

  /** Keeps these no longer. */
  void giveUp(Predicate<TrackedDelivery> which) {
    afterSettle.removeIf(which);
    types.values().forEach(type -> type.kept.removeIf(which));
  }

  void forget() {
    unsettled = 0;
    afterSettle.clear();
    types.values().forEach(type -> type.kept.clear());
  }

  void rate(double perSecond) {
    bucket.rate(perSecond);
  }

  int inFlight() {
    return inFlight;
  }

  boolean keepsAny(Predicate<TrackedDelivery> which) {
    return afterSettle.stream().anyMatch(which)
        || types.values().stream().anyMatch(type -> type.kept.stream().anyMatch(which));
  }

  /** When a limit of rate lets the next one go. */
  long nextAt(boolean lineWaits, long now) {
    if (full()) {
      return Long.MAX_VALUE;
    }
    long at = lineWaits ? bucket.nextAt(now) : Long.MAX_VALUE;
    for (TypeGate type : types.values()) {
      if (!type.kept.isEmpty() && type.inFlight < type.limit.maxInFlight()) {
        at = Math.min(at, type.bucket.nextAt(now));
      }
    }
    return at;
  }

  private boolean full() {
    return inFlight >= destination.limit().maxInFlight() || inFlight >= word.maxInFlight();
  }

  private @Nullable TypeGate type(TrackedDelivery slot, long now) {
    String name = slot.delivery.message().type();
    SendLimit limit = destination.limit(name);
    return limit == null ? null : types.computeIfAbsent(name, key -> new TypeGate(limit, now));
  }

  private static final class TypeGate {
    final SendLimit limit;
    final TokenBucket bucket;
    final Deque<TrackedDelivery> kept = new ArrayDeque<>();
    int inFlight;

    TypeGate(SendLimit limit, long now) {
      this.limit = limit;
      this.bucket = new TokenBucket(limit.perSecond(), now);
    }

    boolean tryPass(long now) {
      if (inFlight >= limit.maxInFlight() || !bucket.tryTake(now)) {
        return false;
      }
      inFlight++;
      return true;
    }

    void turnBack() {
      inFlight--;
      bucket.giveBack();
    }
  }
}
