package io.posthorn.core.relay;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Lets messages through as far as the limits of the destination and of single types allow, of which
 * this lane has a part. It also bounds the number of messages, of the log and parked ones together,
 * that a crash can deliver twice.
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
  private final LaneShare.Member share;
  private final Map<String, TypeGate> types = new HashMap<>();
  private final int mostUnsettled;
  private final Deque<TrackedDelivery> afterSettle = new ArrayDeque<>();
  private int inFlight;
  private int unsettled;

  SendGate(Destination destination, LaneShare.Member share, int mostUnsettled) {
    this.destination = destination;
    this.share = share;
    this.mostUnsettled = mostUnsettled;
  }

  /** Begins a round of calls of {@link #ask}. */
  void roundBegins() {
    share.roundBegins();
  }

  void roundEnds(long now) {
    share.roundEnds(now);
  }

  Permission ask(TrackedDelivery tracked, long now) {
    if (full() || !share.tryEnter(now)) {
      return Permission.CLOSED;
    }
    Permission permission = askInside(tracked, now);
    if (permission == Permission.GO) {
      inFlight++;
    } else {
      share.leave(now);
    }
    return permission;
  }

  private Permission askInside(TrackedDelivery tracked, long now) {
    if (mustWaitForSettle(tracked)) {
      return Permission.UNSETTLED;
    }
    TypeGate type = type(tracked);
    if (type != null && !type.tryPass(now)) {
      type.kept.add(tracked);
      return Permission.KEPT;
    }
    if (!share.tryTake(now)) {
      if (type != null) {
        type.undoPass(now);
      }
      return Permission.CLOSED;
    }
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
  void forceThrough(TrackedDelivery tracked) {
    TypeGate type = type(tracked);
    if (type != null) {
      type.inFlight++;
    }
    share.enter();
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

  void answered(TrackedDelivery tracked, long now) {
    inFlight--;
    share.leave(now);
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
      if (!type.full()) {
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
    share.rate(perSecond);
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
    if (share.waitsForPlace()) {
      return share.tryAgainAt(now);
    }
    long at = queueCanSend ? share.nextAt(now) : Long.MAX_VALUE;
    for (TypeGate type : types.values()) {
      if (!type.kept.isEmpty() && !type.full()) {
        at = Math.min(at, share.nextAt(type.name, now));
      }
    }
    return at;
  }

  private boolean full() {
    return inFlight >= share.part(destination.limit().maxInFlight());
  }

  private @Nullable TypeGate type(TrackedDelivery tracked) {
    String name = tracked.delivery.message().type();
    SendLimit limit = destination.limit(name);
    return limit == null ? null : types.computeIfAbsent(name, key -> new TypeGate(name, limit));
  }

  private final class TypeGate {
    final String name;
    final SendLimit limit;
    final Deque<TrackedDelivery> kept = new ArrayDeque<>();
    int inFlight;

    TypeGate(String name, SendLimit limit) {
      this.name = name;
      this.limit = limit;
    }

    boolean full() {
      return inFlight >= share.part(limit.maxInFlight());
    }

    boolean tryPass(long now) {
      if (full() || !share.tryTake(name, now)) {
        return false;
      }
      inFlight++;
      return true;
    }

    void undoPass(long now) {
      inFlight--;
      share.giveBack(name, now);
    }
  }
}
