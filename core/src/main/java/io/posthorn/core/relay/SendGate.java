package io.posthorn.core.relay;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Lets messages through as far as the limits of the destination and of single types allow. It also
 * bounds the number of messages, of the log and parked ones together, that a crash can deliver
 * twice.
 */
final class SendGate {
  /** Whether a message can be sent now. */
  enum Permission {
    GO,
    /** Its type is at its limit: the gate keeps the message, and others can pass. */
    KEPT,
    /** Something must be settled before a message can be sent for the first time. */
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

  /** Whether this message has to wait for a settle, because too many others are not settled. */
  boolean mustWaitForSettle(TrackedDelivery tracked) {
    return !tracked.reachedConnector && unsettledFull();
  }

  int unsettled() {
    return unsettled;
  }

  boolean unsettledFull() {
    return unsettled >= mostUnsettled;
  }

  /** Keeps this message until something is settled, so that those behind it can pass. */
  void keepUntilSettled(TrackedDelivery tracked) {
    afterSettle.add(tracked);
  }

  /** Lets a probe through, whatever the limits are. */
  void forceThrough(TrackedDelivery tracked, long now) {
    TypeGate type = type(tracked, now);
    if (type != null) {
      type.inFlight++;
    }
    inFlight++;
  }

  /** Counts the message as unsettled: from now on it may have reached the receiver. */
  void sendStarted(TrackedDelivery tracked) {
    if (!tracked.reachedConnector) {
      tracked.reachedConnector = true;
      unsettled++;
    }
  }

  /** Says that the outcome of this message is stored. */
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

  /** Moves kept messages that may pass now to this queue. */
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

  /** Removes these from the kept messages. */
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

  /**
   * When a rate limit lets the next message through.
   *
   * @param queueCanSend whether the queue has a message that could be sent
   */
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
