package io.posthorn.core.relay;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The messages that can be sent next, in the order in which they became ready.
 *
 * <p>Messages of the log and parked messages take turns at being first. In a single queue a retry
 * to a slow destination would wait for a whole batch of the log, and the log for a page of parked
 * messages.
 */
final class ReadyQueue {
  private final SendGate gate;
  private final Deque<TrackedDelivery> fromLog = new ArrayDeque<>();
  private final Deque<TrackedDelivery> parked = new ArrayDeque<>();
  private boolean parkedFirst;

  /** Whether messages that reached the connector before may be in the queue again. */
  private boolean holdsSentBefore;

  ReadyQueue(SendGate gate) {
    this.gate = gate;
  }

  /** Adds this message at the end. */
  void add(TrackedDelivery tracked) {
    tracked.state = TrackedDelivery.State.READY;
    queueOf(tracked).add(tracked);
    holdsSentBefore |= tracked.reachedConnector;
  }

  private Deque<TrackedDelivery> queueOf(TrackedDelivery tracked) {
    return tracked.delivery.parked() ? parked : fromLog;
  }

  /** The queue whose turn it is, or the other if that is empty. */
  private Deque<TrackedDelivery> nextQueue() {
    return parked.isEmpty() || (!parkedFirst && !fromLog.isEmpty()) ? fromLog : parked;
  }

  /** The first message; null if the queue is empty. */
  @Nullable TrackedDelivery peek() {
    return nextQueue().peek();
  }

  /** Removes the first message. */
  TrackedDelivery remove() {
    return nextQueue().remove();
  }

  /** Removes this message, wherever it is in the queue. */
  void remove(TrackedDelivery tracked) {
    queueOf(tracked).remove(tracked);
  }

  /** Says which message went first: next time it is the turn of the other queue. */
  void began(TrackedDelivery first) {
    parkedFirst = !first.delivery.parked();
  }

  /** Removes and returns these messages, including those that the gate keeps. */
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

  /** Takes back messages that the gate keeps no longer. */
  void takeBackKept() {
    gate.releaseKept(tracked -> queueOf(tracked).add(tracked));
  }

  /** Whether a message may be in the queue that need not wait for a settle: it was sent before. */
  boolean mayHoldSentBefore() {
    return holdsSentBefore;
  }

  /** Notes after a round whether messages that reached the connector before still wait. */
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

  /** Whether messages wait, here or at the gate. */
  boolean anyWaiting() {
    return !isEmpty() || gate.keepsAny(tracked -> true);
  }

  /** Whether a message waits, here or at the gate, that has not failed before. */
  boolean anyNeverFailed() {
    return stream().anyMatch(tracked -> !tracked.failedBefore())
        || gate.keepsAny(tracked -> !tracked.failedBefore());
  }

  /** Whether the queue has a message that need not wait for a settle. */
  boolean canSend() {
    return !isEmpty() && (holdsSentBefore || !gate.unsettledFull());
  }
}
