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
  enum Permission {
    GO,
    /** Its type is at its limit; it is kept here until it may go, and others may pass. */
    KEPT,
    /** Something must be settled before one that was not handed over yet may go. */
    UNSETTLED,
    /** The destination is at its limit. */
    CLOSED
  }

  private final Destination destination;
  private final SafeConnector connector;
  private final TokenBucket bucket;
  private final Map<String, TypeGate> types = new HashMap<>();
  private final int mostUnsettled;
  private final Deque<TrackedDelivery> afterSettle = new ArrayDeque<>();
  private int inFlight;
  private int unsettled;

  SendGate(Destination destination, SafeConnector connector, int mostUnsettled, long now) {
    this.destination = destination;
    this.connector = connector;
    this.mostUnsettled = mostUnsettled;
    this.bucket = new TokenBucket(destination.limit().perSecond(), now);
  }

  Permission ask(TrackedDelivery tracked, long now) {
    if (full()) {
      return Permission.CLOSED;
    }
    if (mustWaitForSettle(tracked)) {
      return Permission.UNSETTLED;
    }
    TypeGate type = type(tracked, now);
    if (type != null && !type.tryPass(now)) {
      type.kept.add(tracked);
      return Permission.KEPT;
    }
    if (!bucket.tryTake(now)) {
      if (type != null) {
        type.undoPass();
      }
      return Permission.CLOSED;
    }
    inFlight++;
    return Permission.GO;
  }

  /** So much is handed over and not settled that no other may be. */
  boolean mustWaitForSettle(TrackedDelivery tracked) {
    return !tracked.reachedConnector && unsettledFull();
  }

  int unsettled() {
    return unsettled;
  }

  boolean unsettledFull() {
    return unsettled >= mostUnsettled;
  }

  /** Keeps it until something is settled, so that those behind it may pass. */
  void keepUntilSettled(TrackedDelivery tracked) {
    afterSettle.add(tracked);
  }

  /** Lets it through whatever the limits say: a probe. */
  void forceThrough(TrackedDelivery tracked, long now) {
    TypeGate type = type(tracked, now);
    if (type != null) {
      type.inFlight++;
    }
    inFlight++;
  }

  /** It is with the receiver, or was. */
  void sendStarted(TrackedDelivery tracked) {
    if (!tracked.reachedConnector) {
      tracked.reachedConnector = true;
      unsettled++;
    }
  }

  /** What came of it is written down. */
  void settled(TrackedDelivery tracked) {
    if (tracked.reachedConnector) {
      unsettled--;
    }
  }

  void answered(TrackedDelivery tracked) {
    inFlight--;
    TypeGate type = types.get(tracked.delivery.message().type());
    if (type != null) {
      type.inFlight--;
    }
  }

  /** Moves what was kept and may be asked again to the line. */
  void releaseKept(Consumer<TrackedDelivery> queue) {
    if (!unsettledFull()) {
      afterSettle.forEach(queue);
      afterSettle.clear();
    }
    for (TypeGate type : types.values()) {
      if (type.inFlight < type.limit.maxInFlight()) {
        type.kept.forEach(queue);
        type.kept.clear();
      }
    }
  }

  /** Keeps these no longer. */
  void removeKept(Predicate<TrackedDelivery> which) {
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
  long nextAt(boolean queueCanSend, long now) {
    if (full()) {
      return Long.MAX_VALUE;
    }
    long at = queueCanSend ? bucket.nextAt(now) : Long.MAX_VALUE;
    for (TypeGate type : types.values()) {
      if (!type.kept.isEmpty() && type.inFlight < type.limit.maxInFlight()) {
        at = Math.min(at, type.bucket.nextAt(now));
      }
    }
    return at;
  }

  private boolean full() {
    return inFlight >= destination.limit().maxInFlight() || inFlight >= connector.maxInFlight();
  }

  private @Nullable TypeGate type(TrackedDelivery tracked, long now) {
    String name = tracked.delivery.message().type();
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

    void undoPass() {
      inFlight--;
      bucket.giveBack();
    }
  }
}
