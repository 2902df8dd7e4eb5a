package io.posthorn.core.relay;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The messages that may be handed to the connector next, in the order in which they became ready.
 *
 * <p>Those of the log and those that were parked begin by turns. In a single queue a retry to a
 * slow destination would wait until a whole batch of the log has gone, and the log behind a page of
 * parked ones.
 */
final class ReadyQueue {
  private final SendGate gate;
  private final Deque<TrackedDelivery> fromLog = new ArrayDeque<>();
  private final Deque<TrackedDelivery> parked = new ArrayDeque<>();
  private boolean parkedFirst;

  /** Some that reached the connector before may be in it again. */
  private boolean holdsSentBefore;

  ReadyQueue(SendGate gate) {
    this.gate = gate;
  }

  /** To its end. */
  void add(TrackedDelivery tracked) {
    tracked.state = TrackedDelivery.State.READY;
    queueOf(tracked).add(tracked);
    holdsSentBefore |= tracked.reachedConnector;
  }

  private Deque<TrackedDelivery> queueOf(TrackedDelivery tracked) {
    return tracked.delivery.parked() ? parked : fromLog;
  }

  /** The queue that begins, or the other if that is empty. */
  private Deque<TrackedDelivery> nextQueue() {
    return parked.isEmpty() || (!parkedFirst && !fromLog.isEmpty()) ? fromLog : parked;
  }

  /** The first; null if it is empty. */
  @Nullable TrackedDelivery peek() {
    return nextQueue().peek();
  }

  /** Takes out the first. */
  TrackedDelivery remove() {
    return nextQueue().remove();
  }

  /** Takes out this one, wherever it stands. */
  void remove(TrackedDelivery tracked) {
    queueOf(tracked).remove(tracked);
  }

  /** This one was the first to go: the next to begin is one of the others. */
  void began(TrackedDelivery first) {
    parkedFirst = !first.delivery.parked();
  }

  /** Takes these out of it, wherever they stand, also those that the gate keeps. */
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
  void takeBackKept() {
    gate.releaseKept(tracked -> queueOf(tracked).add(tracked));
  }

  /**
   * Whether one may be in it that reached the connector before, and so need not wait for a settle.
   */
  boolean mayHoldSentBefore() {
    return holdsSentBefore;
  }

  /** After a round: forgets that some reached the connector before, if all of them have gone. */
  void lookForSentBefore() {
    if (holdsSentBefore && isEmpty()) {
      holdsSentBefore = gate.keepsAny(tracked -> tracked.reachedConnector);
    }
  }

  Stream<TrackedDelivery> stream() {
    return Stream.concat(fromLog.stream(), parked.stream());
  }

  boolean isEmpty() {
    return fromLog.isEmpty() && parked.isEmpty();
  }

  /** Some wait, here or at the gate. */
  boolean anyWaiting() {
    return !isEmpty() || gate.keepsAny(tracked -> true);
  }

  /** One waits, here or at the gate, that has not failed before. */
  boolean anyNeverFailed() {
    return stream().anyMatch(tracked -> !tracked.failedBefore())
        || gate.keepsAny(tracked -> !tracked.failedBefore());
  }

  /** Not if all that is in it waits for a settle. */
  boolean canSend() {
    return !isEmpty() && (holdsSentBefore || !gate.unsettledFull());
  }
}
