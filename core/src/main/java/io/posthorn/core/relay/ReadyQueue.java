package io.posthorn.core.relay;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The messages that may be handed to the connector next, in the order in which they became ready,
 * as far as the gate lets them through.
 *
 * <p>Those of the log and those that were parked begin by turns. In a single line a retry to a slow
 * destination would wait until a whole batch of the log has gone, and the log behind a page of
 * parked ones.
 */
final class ReadyQueue {
  private final SendGate gate;
  private final Expiry expiry;
  private final BiConsumer<TrackedDelivery, Duration> expired;
  private final Deque<TrackedDelivery> fromLog = new ArrayDeque<>();
  private final Deque<TrackedDelivery> parked = new ArrayDeque<>();
  private boolean parkedFirst;

  /** Some that were handed over before may be in it again. */
  private boolean holdsSentBefore;

  /**
   * @param expired gets those that have passed the age they may have, instead of the connector
   */
  ReadyQueue(SendGate gate, Expiry expiry, BiConsumer<TrackedDelivery, Duration> expired) {
    this.gate = gate;
    this.expiry = expiry;
    this.expired = expired;
  }

  /** To its end. */
  void add(TrackedDelivery tracked) {
    tracked.state = TrackedDelivery.State.READY;
    queue(tracked);
    holdsSentBefore |= tracked.reachedConnector;
  }

  private void queue(TrackedDelivery tracked) {
    (tracked.delivery.parked() ? parked : fromLog).add(tracked);
  }

  /** Those that begin, or the others if there are none. */
  private Deque<TrackedDelivery> nextQueue() {
    return parked.isEmpty() || (!parkedFirst && !fromLog.isEmpty()) ? fromLog : parked;
  }

  /** Takes these out of it, wherever they stand. */
  List<TrackedDelivery> takeOut(Predicate<TrackedDelivery> which) {
    List<TrackedDelivery> out = new ArrayList<>();
    Predicate<TrackedDelivery> takenOut = tracked -> which.test(tracked) && out.add(tracked);
    parked.removeIf(takenOut);
    fromLog.removeIf(takenOut);
    gate.removeKept(takenOut);
    return out;
  }

  void forget() {
    parked.clear();
    fromLog.clear();
    holdsSentBefore = false;
    gate.forget();
  }

  /** Moves those back that the gate keeps no longer. */
  void releaseKept() {
    gate.releaseKept(this::queue);
  }

  /**
   * Those whose turn it is, each marked as handed over: for one call of the connector, since the
   * lease is looked at before each.
   */
  List<TrackedDelivery> round(long now) {
    List<TrackedDelivery> round = new ArrayList<>();
    for (TrackedDelivery tracked = firstUnexpired(now);
        tracked != null;
        tracked = firstUnexpired(now)) {
      if (!round.isEmpty() && (tracked.failedBefore() || round.get(0).failedBefore())) {
        break;
      }
      SendGate.Permission permission = gate.ask(tracked, now);
      if (permission == SendGate.Permission.CLOSED
          || (permission == SendGate.Permission.UNSETTLED && !holdsSentBefore)) {
        break;
      }
      nextQueue().remove();
      if (permission == SendGate.Permission.GO) {
        startSend(tracked, now);
        round.add(tracked);
      } else if (permission == SendGate.Permission.UNSETTLED) {
        gate.keepUntilSettled(tracked);
      }
    }
    if (holdsSentBefore && isEmpty()) {
      holdsSentBefore = gate.keepsAny(tracked -> tracked.reachedConnector);
    }
    if (!round.isEmpty()) {
      parkedFirst = !round.get(0).delivery.parked();
    }
    return round;
  }

  /** The one to try while the breaker is open, whatever the limits say; none if nobody may go. */
  @Nullable TrackedDelivery probe(long now) {
    TrackedDelivery tracked = firstUnexpired(now);
    for (; tracked != null && gate.mustWaitForSettle(tracked); tracked = firstUnexpired(now)) {
      gate.keepUntilSettled(nextQueue().remove());
    }
    if (tracked == null) {
      return null;
    }
    TrackedDelivery best = tracked.failedBefore() ? neverFailed(tracked, now) : tracked;
    (best.delivery.parked() ? parked : fromLog).remove(best);
    parkedFirst = !best.delivery.parked();
    gate.forceThrough(best, now);
    startSend(best, now);
    return best;
  }

  /** One that has not failed shows rather than others whether the destination works. */
  private TrackedDelivery neverFailed(TrackedDelivery otherwise, long now) {
    return Stream.concat(fromLog.stream(), parked.stream())
        .filter(tracked -> !tracked.failedBefore() && !gate.mustWaitForSettle(tracked))
        .filter(tracked -> expiry.passed(tracked, now) == null)
        .findFirst()
        .orElse(otherwise);
  }

  /** The first that is not too old to be sent. */
  private @Nullable TrackedDelivery firstUnexpired(long now) {
    TrackedDelivery tracked = nextQueue().peek();
    for (; tracked != null; tracked = nextQueue().peek()) {
      Duration passed = expiry.passed(tracked, now);
      if (passed == null) {
        break;
      }
      nextQueue().remove();
      expired.accept(tracked, passed);
    }
    return tracked;
  }

  private void startSend(TrackedDelivery tracked, long now) {
    tracked.state = TrackedDelivery.State.IN_FLIGHT;
    tracked.startedAt = now;
    gate.sendStarted(tracked);
  }

  boolean isEmpty() {
    return fromLog.isEmpty() && parked.isEmpty();
  }

  /** Somebody waits, here or at the gate. */
  boolean anyWaiting() {
    return !isEmpty() || gate.keepsAny(tracked -> true);
  }

  /** One waits, here or at the gate, that has not failed before. */
  boolean anyNeverFailed() {
    return fromLog.stream().anyMatch(tracked -> !tracked.failedBefore())
        || parked.stream().anyMatch(tracked -> !tracked.failedBefore())
        || gate.keepsAny(tracked -> !tracked.failedBefore());
  }

  /** Not if all that is in it waits for a settle. */
  boolean canSend() {
    return !isEmpty() && (holdsSentBefore || !gate.unsettledFull());
  }
}
