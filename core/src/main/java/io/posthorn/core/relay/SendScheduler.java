package io.posthorn.core.relay;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import io.posthorn.core.store.SteeringState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides which messages the connector gets next, and which are decided without being sent.
 *
 * <p>A message starts when its predecessor of the key is sent or parked. Then it either joins the
 * ready queue, or it is decided at once: its row cannot be read, this relay has no code for its
 * type or its version, or a person paused it. A message in the queue is sent as soon as the gate
 * lets it through, unless it has become too old by then.
 */
final class SendScheduler {
  private final SafeConnector connector;
  private final SendGate gate;
  private final Expiry expiry;
  private final KeyChains chains;
  private final Decisions decisions;
  private final ReadyQueue queue;
  private SteeringState steering = SteeringState.NOT;
  private boolean decidedUnsent;

  SendScheduler(
      SafeConnector connector,
      SendGate gate,
      Expiry expiry,
      KeyChains chains,
      Decisions decisions) {
    this.connector = connector;
    this.gate = gate;
    this.expiry = expiry;
    this.chains = chains;
    this.decisions = decisions;
    this.queue = new ReadyQueue(gate);
  }

  // ---- taking in ----

  /** Starts this message, or lets it wait for its predecessor of the key. */
  void add(TrackedDelivery tracked) {
    Key key = tracked.key();
    if (key == null || chains.append(tracked, key)) {
      start(tracked);
    }
  }

  /**
   * Starts this message. If it is decided without being sent, the next one of its key starts, and
   * so on. Does nothing for null, which is what {@link Decisions} return if no message may start.
   */
  void start(@Nullable TrackedDelivery first) {
    TrackedDelivery tracked = first;
    while (tracked != null) {
      tracked = queueOrDecide(tracked);
    }
  }

  private @Nullable TrackedDelivery queueOrDecide(TrackedDelivery tracked) {
    Reason unreadable = tracked.delivery.unreadable();
    if (unreadable != null) {
      return decisions.unreadable(tracked, unreadable);
    }
    Message message = tracked.delivery.message();
    Boolean serves = connector.serves(message.type());
    if (serves == null) {
      decisions.waitForCode(tracked);
    } else if (serves) {
      queueIfReadable(tracked, message);
    } else {
      return decisions.unserved(tracked);
    }
    return null;
  }

  private void queueIfReadable(TrackedDelivery tracked, Message message) {
    String problem = connector.versionProblem(message.type(), message.schemaVersion());
    if (problem == null) {
      queue(tracked);
    } else {
      decisions.waitForCode(tracked, problem);
    }
  }

  /** Puts this message at the end of the queue, or parks it if a person paused it. */
  void queue(TrackedDelivery tracked) {
    if (isPaused(tracked)) {
      pause(tracked);
    } else {
      queue.add(tracked);
    }
  }

  void forget() {
    queue.forget();
  }

  // ---- pauses of types and keys ----

  /** Applies these pauses from now on, also to messages in memory that are not yet sent. */
  void steer(SteeringState newSteering) {
    steering = newSteering;
    queue.takeOut(this::isPaused).forEach(this::pause);
  }

  private boolean isPaused(TrackedDelivery tracked) {
    Message message = tracked.delivery.message();
    return steering.pausesType(message) || steering.pausesKey(message);
  }

  private void pause(TrackedDelivery tracked) {
    if (steering.pausesType(tracked.delivery.message())) {
      decisions.typePaused(tracked);
    } else {
      decisions.keyPaused(tracked);
    }
  }

  // ---- sending ----

  /** Moves messages that the gate keeps no longer back to the queue. */
  void takeBackKept() {
    queue.takeBackKept();
  }

  /**
   * The messages to send now, each marked as in flight. They go to the connector in one call, since
   * the lease is checked before each call.
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
          || (permission == SendGate.Permission.UNSETTLED && !queue.mayHoldSentBefore())) {
        break;
      }
      queue.remove();
      if (permission == SendGate.Permission.GO) {
        startSend(tracked, now);
        round.add(tracked);
      } else if (permission == SendGate.Permission.UNSETTLED) {
        gate.keepUntilSettled(tracked);
      }
    }
    queue.lookForSentBefore();
    if (!round.isEmpty()) {
      queue.began(round.get(0));
    }
    return round;
  }

  /**
   * The message to try while the breaker is open, whatever the limits say; null if none may go. A
   * message that has not failed shows better than others whether the destination works.
   */
  @Nullable TrackedDelivery probe(long now) {
    TrackedDelivery first = firstUnexpired(now);
    for (; first != null && gate.mustWaitForSettle(first); first = firstUnexpired(now)) {
      gate.keepUntilSettled(queue.remove());
    }
    if (first == null) {
      return null;
    }
    TrackedDelivery probe = first.failedBefore() ? neverFailedOr(first, now) : first;
    queue.remove(probe);
    queue.began(probe);
    gate.forceThrough(probe);
    startSend(probe, now);
    return probe;
  }

  private TrackedDelivery neverFailedOr(TrackedDelivery otherwise, long now) {
    return queue.stream()
        .filter(tracked -> !tracked.failedBefore() && !gate.mustWaitForSettle(tracked))
        .filter(tracked -> expiry.passed(tracked, now) == null)
        .findFirst()
        .orElse(otherwise);
  }

  /** The first message that is not too old to be sent; those before it are decided as expired. */
  private @Nullable TrackedDelivery firstUnexpired(long now) {
    TrackedDelivery tracked = queue.peek();
    for (; tracked != null; tracked = queue.peek()) {
      Duration limit = expiry.passed(tracked, now);
      if (limit == null) {
        break;
      }
      queue.remove();
      decidedUnsent = true;
      start(decisions.expired(tracked, limit));
    }
    return tracked;
  }

  private void startSend(TrackedDelivery tracked, long now) {
    tracked.state = TrackedDelivery.State.IN_FLIGHT;
    tracked.startedAt = now;
    gate.sendStarted(tracked);
  }

  /** Whether messages expired in the queue since the last call of this method. */
  boolean decidedUnsent() {
    boolean decided = decidedUnsent;
    decidedUnsent = false;
    return decided;
  }

  // ---- what waits ----

  /** The queue itself is empty; the gate may keep messages all the same. */
  boolean isEmpty() {
    return queue.isEmpty();
  }

  /** Messages wait to be sent, in the queue or at the gate. */
  boolean anyWaiting() {
    return queue.anyWaiting();
  }

  /** A message waits, in the queue or at the gate, that has not failed before. */
  boolean anyNeverFailed() {
    return queue.anyNeverFailed();
  }

  /** The queue has a message that need not wait for a settle. */
  boolean canSend() {
    return queue.canSend();
  }

  /** No message waits to be sent, and none is in flight. */
  boolean isIdle() {
    return !anyWaiting() && gate.inFlight() == 0;
  }
}
