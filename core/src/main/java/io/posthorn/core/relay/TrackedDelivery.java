package io.posthorn.core.relay;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Key;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Move;
import io.posthorn.core.trace.Tracing;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One delivery in the memory of a lane, and what is known of it. */
final class TrackedDelivery {
  enum State {
    /** Behind another of its key. */
    WAITING,
    /** May be sent as soon as the limits allow. */
    READY,
    /** Given to the connector, not answered. */
    IN_FLIGHT,
    /** Failed, and it is not clear yet whether it or the destination is at fault. */
    SUSPECT,
    /** What is to be written down is known. */
    DECIDED
  }

  final Delivery delivery;
  final TrackedBatch batch;
  State state = State.WAITING;

  /** The next of the same key in this lane's memory. */
  @Nullable TrackedDelivery next;

  /** What a settle must write; none if nothing but the progress. */
  @Nullable Move move;

  /** What a settle writes instead, because the database refuses the move. */
  @Nullable Move replacement;

  /** It was sent; the alternative with no move is that it stays as it is. */
  boolean sent;

  /** Where an answer to this belongs, since it was set aside. */
  @Nullable TrackedDelivery aside;

  /** The attempt that is under way, or was the last. */
  Tracing.Span span = Tracing.Span.NONE;

  /** It was tried while the breaker was open, and failed. */
  boolean failedAsProbe;

  /** It was given to the connector at least once. */
  boolean reachedConnector;

  boolean settled;
  long startedAt;

  /** Why the last attempt in this memory failed. */
  @Nullable Reason failure;

  /** How long the receiver asked to be left alone when it failed. */
  Duration retryAfter = Duration.ZERO;

  /** It failed in this memory, and it is not clear who is at fault. */
  private boolean suspected;

  private long suspectedFirst;

  /** When that was last. */
  long suspectedAt;

  /** It failed before this call, and others were sent in between. */
  boolean triedAgain;

  /** It failed before this call, and many others were sent since. */
  boolean failsOften;

  /** It failed together with others, as in an outage. */
  boolean together;

  /** If nothing else shows who is at fault, it is this one. */
  boolean presumed;

  TrackedDelivery(Delivery delivery, TrackedBatch batch) {
    this.delivery = delivery;
    this.batch = batch;
  }

  /** It failed, and it is not clear yet who is at fault. */
  void suspect(long now) {
    suspectedFirst = suspected ? suspectedFirst : now;
    suspected = true;
    suspectedAt = now;
  }

  /** What is known of the one whose place it takes. */
  void takeOverSuspicion(TrackedDelivery before) {
    suspected = before.suspected;
    suspectedFirst = before.suspectedFirst;
    suspectedAt = before.suspectedAt;
    triedAgain = before.triedAgain;
    failsOften = before.failsOften;
  }

  /** It failed before, here or before it was parked, and was not blamed for that. */
  boolean isSuspect() {
    return suspected || !delivery.suspectFor().isZero();
  }

  /** When it failed last. */
  long suspectLast(long now) {
    return suspected ? suspectedAt : suspectFirst(now);
  }

  /** When it failed first, without having been blamed or sent since. */
  long suspectFirst(long now) {
    long parkedFor = batch.inMemoryFor(now) + delivery.suspectFor().toNanos();
    return suspected && delivery.suspectFor().isZero() ? suspectedFirst : now - parkedFor;
  }

  @Nullable Key key() {
    return delivery.message().key();
  }

  /** What the breaker counts: the key or, without one, the message. */
  Object blameKey() {
    Key key = key();
    return key == null ? delivery.message().id() : key;
  }

  /**
   * Then it goes in a call of its own: if it is what makes the connector throw, it takes nobody
   * with it a second time.
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
