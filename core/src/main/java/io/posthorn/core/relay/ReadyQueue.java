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
  private final BiConsumer<TrackedDelivery, Duration> tooOld;
  private final Deque<TrackedDelivery> ofLog = new ArrayDeque<>();
  private final Deque<TrackedDelivery> parked = new ArrayDeque<>();
  private boolean parkedFirst;

  /** Some that were handed over before may be in it again. */
  private boolean again;

  /**
   * @param tooOld gets those that have passed the age they may have, instead of the connector
   */
  ReadyQueue(SendGate gate, Expiry expiry, BiConsumer<TrackedDelivery, Duration> tooOld) {
    this.gate = gate;
    this.expiry = expiry;
    this.tooOld = tooOld;
  }

  /** To its end. */
  void add(TrackedDelivery slot) {
    slot.state = TrackedDelivery.State.READY;
    queue(slot);
    again |= slot.handed;
  }

  private void queue(TrackedDelivery slot) {
    (slot.delivery.parked() ? parked : ofLog).add(slot);
  }

  /** Those that begin, or the others if there are none. */
  private Deque<TrackedDelivery> turn() {
    return parked.isEmpty() || (!parkedFirst && !ofLog.isEmpty()) ? ofLog : parked;
  }

  /** Takes these out of it, wherever they stand. */
  List<TrackedDelivery> takeOut(Predicate<TrackedDelivery> which) {
    List<TrackedDelivery> out = new ArrayList<>();
    Predicate<TrackedDelivery> taken = slot -> which.test(slot) && out.add(slot);
    parked.removeIf(taken);
    ofLog.removeIf(taken);
    gate.giveUp(taken);
    return out;
  }

  void forget() {
    parked.clear();
    ofLog.clear();
    again = false;
    gate.forget();
  }

  /** Moves those back that the gate keeps no longer. */
  void letBack() {
    gate.letBack(this::queue);
  }

  /**
   * Those whose turn it is, each marked as handed over: for one call of the connector, since the
   * lease is looked at before each.
   */
  List<TrackedDelivery> round(long now) {
    List<TrackedDelivery> round = new ArrayList<>();
    for (TrackedDelivery slot = first(now); slot != null; slot = first(now)) {
      if (!round.isEmpty() && (slot.failedBefore() || round.get(0).failedBefore())) {
        break;
      }
      SendGate.Answer answer = gate.ask(slot, now);
      if (answer == SendGate.Answer.CLOSED || (answer == SendGate.Answer.UNSETTLED && !again)) {
        break;
      }
      turn().remove();
      if (answer == SendGate.Answer.GO) {
        handOver(slot, now);
        round.add(slot);
      } else if (answer == SendGate.Answer.UNSETTLED) {
        gate.keepUntilSettled(slot);
      }
    }
    if (again && isEmpty()) {
      again = gate.keepsAny(slot -> slot.handed);
    }
    if (!round.isEmpty()) {
      parkedFirst = !round.get(0).delivery.parked();
    }
    return round;
  }

  /** The one to try while the breaker is open, whatever the limits say; none if nobody may go. */
  @Nullable TrackedDelivery probe(long now) {
    TrackedDelivery slot = first(now);
    for (; slot != null && gate.mustWait(slot); slot = first(now)) {
      gate.keepUntilSettled(turn().remove());
    }
    if (slot == null) {
      return null;
    }
    TrackedDelivery best = slot.failedBefore() ? unsuspected(slot, now) : slot;
    (best.delivery.parked() ? parked : ofLog).remove(best);
    parkedFirst = !best.delivery.parked();
    gate.force(best, now);
    handOver(best, now);
    return best;
  }

  /** One that has not failed shows rather than others whether the destination works. */
  private TrackedDelivery unsuspected(TrackedDelivery otherwise, long now) {
    return Stream.concat(ofLog.stream(), parked.stream())
        .filter(slot -> !slot.failedBefore() && !gate.mustWait(slot))
        .filter(slot -> expiry.passed(slot, now) == null)
        .findFirst()
        .orElse(otherwise);
  }

  /** The first that is not too old to be sent. */
  private @Nullable TrackedDelivery first(long now) {
    TrackedDelivery slot = turn().peek();
    for (; slot != null; slot = turn().peek()) {
      Duration passed = expiry.passed(slot, now);
      if (passed == null) {
        break;
      }
      turn().remove();
      tooOld.accept(slot, passed);
    }
    return slot;
  }

  private void handOver(TrackedDelivery slot, long now) {
    slot.state = TrackedDelivery.State.IN_FLIGHT;
    slot.startedAt = now;
    gate.handed(slot);
  }

  boolean isEmpty() {
    return ofLog.isEmpty() && parked.isEmpty();
  }

  /** Somebody waits, here or at the gate. */
  boolean anyWaits() {
    return !isEmpty() || gate.keepsAny(slot -> true);
  }

  /** One waits, here or at the gate, that has not failed before. */
  boolean anyUnsuspected() {
    return ofLog.stream().anyMatch(slot -> !slot.failedBefore())
        || parked.stream().anyMatch(slot -> !slot.failedBefore())
        || gate.keepsAny(slot -> !slot.failedBefore());
  }

  /** Not if all that is in it waits for a settle. */
  boolean mayMove() {
    return !isEmpty() && (again || !gate.unsettledFull());
  }
}
