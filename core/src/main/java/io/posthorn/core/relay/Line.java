package io.posthorn.core.relay;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The messages that may be handed to the connector next, in the order in which they became ready,
 * as far as the gate lets them through.
 */
final class Line {
  private final SendGate gate;
  private final Expiry expiry;
  private final BiConsumer<Slot, Duration> tooOld;
  private final Deque<Slot> ready = new ArrayDeque<>();

  /** Some that were handed over before may be in it again. */
  private boolean again;

  /**
   * @param tooOld gets those that have passed the age they may have, instead of the connector
   */
  Line(SendGate gate, Expiry expiry, BiConsumer<Slot, Duration> tooOld) {
    this.gate = gate;
    this.expiry = expiry;
    this.tooOld = tooOld;
  }

  /** To its end. */
  void add(Slot slot) {
    slot.state = Slot.State.READY;
    ready.add(slot);
    again |= slot.handed;
  }

  /** Takes these out of it, wherever they stand. */
  List<Slot> takeOut(Predicate<Slot> which) {
    List<Slot> out = new ArrayList<>();
    Predicate<Slot> taken = slot -> which.test(slot) && out.add(slot);
    ready.removeIf(taken);
    gate.giveUp(taken);
    return out;
  }

  void forget() {
    ready.clear();
    again = false;
    gate.forget();
  }

  /** Moves those back that the gate keeps no longer. */
  void letBack() {
    gate.letBack(ready);
  }

  /**
   * Those whose turn it is, each marked as handed over: for one call of the connector, since the
   * lease is looked at before each.
   */
  List<Slot> round(long now) {
    List<Slot> round = new ArrayList<>();
    for (Slot slot = first(now); slot != null; slot = first(now)) {
      if (!round.isEmpty() && (slot.failedBefore() || round.get(0).failedBefore())) {
        break;
      }
      SendGate.Answer answer = gate.ask(slot, now);
      if (answer == SendGate.Answer.CLOSED || (answer == SendGate.Answer.UNSETTLED && !again)) {
        break;
      }
      ready.remove();
      if (answer == SendGate.Answer.GO) {
        handOver(slot, now);
        round.add(slot);
      } else if (answer == SendGate.Answer.UNSETTLED) {
        gate.keepUntilSettled(slot);
      }
    }
    if (again && ready.isEmpty()) {
      again = gate.keepsAny(slot -> slot.handed);
    }
    return round;
  }

  /** The one to try while the breaker is open, whatever the limits say; none if nobody may go. */
  @Nullable Slot probe(long now) {
    Slot slot = first(now);
    for (; slot != null && gate.mustWait(slot); slot = first(now)) {
      gate.keepUntilSettled(ready.remove());
    }
    if (slot != null) {
      ready.remove();
      gate.force(slot, now);
      handOver(slot, now);
    }
    return slot;
  }

  /** The first that is not too old to be sent. */
  private @Nullable Slot first(long now) {
    Slot slot = ready.peek();
    for (; slot != null; slot = ready.peek()) {
      Duration passed = expiry.passed(slot, now);
      if (passed == null) {
        break;
      }
      ready.remove();
      tooOld.accept(slot, passed);
    }
    return slot;
  }

  private void handOver(Slot slot, long now) {
    slot.state = Slot.State.IN_FLIGHT;
    slot.startedAt = now;
    gate.handed(slot);
  }

  boolean isEmpty() {
    return ready.isEmpty();
  }

  /** Somebody waits, here or at the gate. */
  boolean anyWaits() {
    return !ready.isEmpty() || gate.keepsAny(slot -> true);
  }

  /** Not if all that is in it waits for a settle. */
  boolean mayMove() {
    return !ready.isEmpty() && (again || !gate.unsettledFull());
  }
}
