package io.posthorn.core.relay;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Key;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Move;
import io.posthorn.core.trace.Tracing;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One delivery in the memory of a lane, and what the lane knows about it. */
final class TrackedDelivery {
  enum State {
    /** Waits behind another message of its key. */
    WAITING,
    /** Can be sent as soon as the limits allow. */
    READY,
    /** Was handed to the connector, which has not answered. */
    IN_FLIGHT,
    /** Failed; whether the message or the destination is at fault is not known yet. */
    SUSPECT,
    /** What the next settle writes about it is known. */
    DECIDED
  }

  final Delivery delivery;
  final TrackedBatch batch;
  State state = State.WAITING;

  /** The next message of the same key in this lane's memory. */
  @Nullable TrackedDelivery next;

  /** What a settle must write; null if the progress alone says it. */
  @Nullable Move move;

  /** What a settle writes instead of the move, because the database refuses the move. */
  @Nullable Move replacement;

  /** Whether it was sent. A decided message without a move that was not sent stays as it is. */
  boolean sent;

  /** Takes the answer in place of this one, since this one was set aside. */
  @Nullable TrackedDelivery aside;

  /** The span of the current or last attempt. */
  Tracing.Span span = Tracing.Span.NONE;

  /** Whether it failed as the probe of an open breaker. */
  boolean failedAsProbe;

  /** Whether it was handed to the connector at least once. */
  boolean reachedConnector;

  boolean settled;
  long startedAt;

  /** Why the last attempt failed since it is in memory. */
  @Nullable Reason failure;

  /** The pause for which the receiver asked when it failed. */
  Duration retryAfter = Duration.ZERO;

  /** Whether it failed since it is in memory without having been blamed. */
  private boolean suspected;

  private long suspectedFirst;

  /** When it last failed without having been blamed. */
  long suspectedAt;

  /** Whether it failed before this attempt, and others were sent in between. */
  boolean triedAgain;

  /** Whether it failed before this attempt, and many others were sent since. */
  boolean failsOften;

  /** Whether it failed together with others, as in an outage. */
  boolean together;

  /** Whether the message is at fault if nothing shows otherwise. */
  boolean presumed;

  TrackedDelivery(Delivery delivery, TrackedBatch batch) {
    this.delivery = delivery;
    this.batch = batch;
  }

  /** Notes a failure for which neither the message nor the destination is blamed yet. */
  void suspect(long now) {
    suspectedFirst = suspected ? suspectedFirst : now;
    suspected = true;
    suspectedAt = now;
  }

  /** Copies what is known about the failures of the message whose place it takes. */
  void takeOverSuspicion(TrackedDelivery before) {
    suspected = before.suspected;
    suspectedFirst = before.suspectedFirst;
    suspectedAt = before.suspectedAt;
    triedAgain = before.triedAgain;
    failsOften = before.failsOften;
  }

  /** Whether it failed, here or before it was parked, without having been blamed. */
  boolean isSuspect() {
    return suspected || !delivery.suspectFor().isZero();
  }

  /** When it last failed without having been blamed. */
  long suspectLast(long now) {
    return suspected ? suspectedAt : suspectFirst(now);
  }

  /** When it first failed without having been blamed or sent since. */
  long suspectFirst(long now) {
    long parkedFor = batch.inMemoryFor(now) + delivery.suspectFor().toNanos();
    return suspected && delivery.suspectFor().isZero() ? suspectedFirst : now - parkedFor;
  }

  @Nullable Key key() {
    return delivery.message().key();
  }

  /** What the breaker counts: the key, or the message's id if it has no key. */
  Object blameKey() {
    Key key = key();
    return key == null ? delivery.message().id() : key;
  }

  /**
   * Whether it failed before. Then it goes to the connector in a call of its own: if it makes the
   * connector throw, no other message fails with it a second time.
   */
  boolean failedBefore() {
    return failure != null || delivery.attempts() > 0 || isSuspect();
  }

  /** What a settle writes. */
  @Nullable Move toWrite() {
    return replacement == null ? move : replacement;
  }

  void decide(@Nullable Move decided) {
    state = State.DECIDED;
    move = decided;
    batch.undecided--;
  }
}
