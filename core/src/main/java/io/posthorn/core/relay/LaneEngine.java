package io.posthorn.core.relay;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.PayloadCipher;
import io.posthorn.core.observe.Event;
import io.posthorn.core.observe.Observer;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Direction;
import io.posthorn.core.store.SteeringState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What a lane does between claim and settle, as a state machine: it is told of batches and answers,
 * says what to send, and decides what is to be written down. It has no thread, no clock and no
 * database, so that every order of events can be played in a test.
 *
 * <p><b>Order.</b> A message is handed to the connector only after its predecessor of the key was
 * sent, or parked: across batches, log and parked messages. When one fails, all of its key behind
 * it in memory are parked too.
 *
 * <p><b>Blame.</b> A failure says either that the message is at fault, or the destination: see
 * {@link Blame}.
 *
 * <p><b>Pause.</b> What a person paused by its type or its key is not tried, nor does it count as a
 * probe: it is parked as soon as it would be ready, those of its key behind it.
 */
final class LaneEngine {
  /** So many late ones are few, however small their batch is. */
  private static final int FEW_LATE = 8;

  private final Destination destination;
  private final PayloadCipher cipher;
  private final Observer observer;
  private final Breaker breaker;
  private final SendGate gate;
  private final Expiry expiry;
  private final AwaitedAnswers awaitedAnswers;
  private final Refusals refusals;

  private final KeyChains chains = new KeyChains();
  private final Decisions decisions;
  private final SendScheduler scheduler;
  private final Blame blame;
  private final Deque<TrackedBatch> logBatches = new ArrayDeque<>();
  private final List<TrackedBatch> parkedBatches = new ArrayList<>();
  private @Nullable TrackedDelivery probe;
  private long startedAt;

  LaneEngine(
      Destination destination,
      PayloadCipher cipher,
      Observer observer,
      RandomGenerator random,
      int mostUnsettled,
      long now) {
    this.destination = destination;
    this.cipher = cipher;
    this.observer = observer;
    this.breaker = new Breaker(destination.breakerAfter(), random);
    SafeConnector connector = new SafeConnector(destination);
    this.gate = new SendGate(destination, connector, mostUnsettled, now);
    this.expiry = new Expiry(destination);
    this.refusals = new Refusals(destination::afterDead);
    this.awaitedAnswers = new AwaitedAnswers(destination.sendTimeout());
    this.decisions = new Decisions(destination, chains, random);
    this.scheduler = new SendScheduler(connector, gate, expiry, chains, decisions);
    this.blame = new Blame(destination, observer, breaker, decisions, scheduler);
    this.startedAt = now;
  }

  // ---- taking in ----

  /** The batch is in memory since {@code readAt}. */
  void take(Batch batch, long readAt) {
    TrackedBatch taken = new TrackedBatch(batch, batch.deliveries());
    taken.markInMemory(readAt);
    observer.on(new Event.Claimed(destination.name(), taken.deliveries.size(), false));
    logBatches.add(taken);
    for (TrackedDelivery tracked : taken.deliveries) {
      Key key = tracked.key();
      if (isFuture(tracked.delivery, batch.claimedAt())) {
        decisions.scheduled(tracked);
      } else if (key != null && (batch.blocked().contains(key) || chains.isBlocked(key))) {
        decisions.parkBehind(tracked);
      } else {
        scheduler.add(tracked);
      }
    }
  }

  /** None if all of them have to stay as they are for now: then there is nothing to settle. */
  @Nullable TrackedBatch takeParked(List<Delivery> deliveries) {
    TrackedBatch batch = new TrackedBatch(null, deliveries);
    Set<UUID> here = idsInParkedBatches();
    parkedBatches.add(batch);
    Set<Key> over = new HashSet<>();
    for (TrackedDelivery tracked : batch.deliveries) {
      Key key = tracked.key();
      if (key != null && (over.contains(key) || chains.isUnstored(key))) {
        // One before it had to be parked again, for want of code, or is not stored as parked yet.
        decisions.leaveParked(tracked);
      } else if (here.contains(tracked.delivery.message().id())) {
        decisions.leaveParked(tracked);
      } else {
        scheduler.add(tracked);
        if (key != null && tracked.state == TrackedDelivery.State.DECIDED) {
          over.add(key);
        }
      }
    }
    if (batch.changesNothing()) {
      parkedBatches.remove(batch);
      return null;
    }
    observer.on(new Event.Claimed(destination.name(), batch.deliveries.size(), true));
    return batch;
  }

  /** Messages that were set aside: a late answer may still come, so they are not sent again. */
  private Set<UUID> idsInParkedBatches() {
    Set<UUID> ids = new HashSet<>();
    for (TrackedBatch batch : parkedBatches) {
      batch.deliveries.forEach(tracked -> ids.add(tracked.delivery.message().id()));
    }
    return ids;
  }

  /** Drops everything; nothing may be in flight or unsettled. It is claimed again later. */
  void forget() {
    logBatches.clear();
    parkedBatches.clear();
    scheduler.forget();
    blame.forget();
    chains.forget();
    refusals.forget();
  }

  private static boolean isFuture(Delivery delivery, Instant now) {
    Instant notBefore = delivery.message().notBefore();
    return notBefore != null && notBefore.isAfter(now);
  }

  // ---- what people say ----

  /** Heeds it from now on, also for what is in memory and not yet with the connector. */
  void steer(SteeringState newSteering) {
    scheduler.steer(newSteering);
    // The suspects may have waited for those to be sent.
    judgeIfNothingElseCanTell();
  }

  // ---- sending ----

  /** What to hand to the connector now; answers must come back through {@link #answer}. */
  List<TrackedDelivery> dispatch(long now) {
    logBatches.forEach(batch -> batch.markInMemory(now));
    parkedBatches.forEach(batch -> batch.markInMemory(now));
    // Also if no probe is due: they may be all there are, and it is they who wait for it then.
    scheduler.takeBackKept();
    List<TrackedDelivery> round = breaker.isOpen() ? probe(now) : scheduler.round(now);
    round.forEach(tracked -> blame.sendStarts(tracked, now));
    awaitedAnswers.started(round);
    if (round.isEmpty()) {
      judgeIfNothingElseCanTell();
    } else {
      startedAt = now;
    }
    return round;
  }

  private List<TrackedDelivery> probe(long now) {
    if (probe != null || now < breaker.probeAt()) {
      return List.of();
    }
    probe = scheduler.probe(now);
    return probe == null ? List.of() : List.of(probe);
  }

  /** Whether messages were given up instead of being sent, since this was asked last. */
  boolean decidedUnsent() {
    return scheduler.decidedUnsent();
  }

  /** The message as the connector gets it. */
  Message messageToSend(TrackedDelivery tracked) {
    Message message = tracked.delivery.handedOver();
    String keyId = tracked.delivery.cipherKey();
    return keyId == null ? message : message.withPayload(cipher.decrypt(message, keyId));
  }

  // ---- answers ----

  /**
   * An answer to the attempt that began then. One that comes when the message is under way again
   * belongs to an attempt that has failed, and changes nothing.
   */
  void answer(TrackedDelivery asked, long began, Outcome outcome, long now) {
    if (setAsideOrSelf(asked).startedAt == began) {
      answer(asked, outcome, now);
    }
  }

  private static TrackedDelivery setAsideOrSelf(TrackedDelivery asked) {
    return asked.aside == null ? asked : asked.aside;
  }

  /** An answer came. A second one, or one after the timeout, changes nothing. */
  void answer(TrackedDelivery asked, Outcome outcome, long now) {
    TrackedDelivery tracked = setAsideOrSelf(asked);
    if (tracked.state != TrackedDelivery.State.IN_FLIGHT) {
      return;
    }
    boolean probed = endAttempt(asked, tracked, outcome, now);
    if (outcome instanceof Outcome.Sent sent) {
      tracked.span.succeeded();
      blame.worked(tracked, now);
      scheduler.start(decisions.sent(tracked, sent.stale()));
    } else if (outcome instanceof Outcome.Rejected rejected) {
      reportFailedCall(tracked, rejected.reason());
      blame.worked(tracked, now);
      scheduler.start(decisions.dead(tracked, rejected.reason().code(), rejected.reason()));
    } else if (outcome instanceof Outcome.Failed failed) {
      reportFailedCall(tracked, failed.reason());
      tracked.retryAfter = failed.retryAfter();
      blame.failed(tracked, failed, now, probed);
    } else if (outcome instanceof Outcome.Unavailable unavailable) {
      reportFailedCall(tracked, unavailable.reason());
      tracked.retryAfter = Duration.ZERO;
      if (unavailable.forGood()) {
        blame.gone(tracked, unavailable.reason(), now, probed);
      } else {
        blame.unavailable(tracked, unavailable.reason(), now, probed);
      }
    }
    judgeIfNothingElseCanTell();
  }

  /**
   * An answer by this program, before the message was handed to the connector. Even a rejection
   * says nothing about the destination then.
   */
  void answeredUnsent(TrackedDelivery tracked, long began, Outcome outcome, long now) {
    if (!(outcome instanceof Outcome.Rejected rejected)) {
      answer(tracked, began, outcome, now);
    } else if (tracked.state == TrackedDelivery.State.IN_FLIGHT && tracked.startedAt == began) {
      endAttempt(tracked, tracked, outcome, now);
      reportFailedCall(tracked, rejected.reason());
      scheduler.start(decisions.dead(tracked, rejected.reason().code(), rejected.reason()));
      judgeIfNothingElseCanTell();
    }
  }

  /** It is under way no longer; true if it was tried because the breaker is open. */
  private boolean endAttempt(
      TrackedDelivery asked, TrackedDelivery tracked, Outcome outcome, long now) {
    gate.answered(tracked);
    observer.on(expiry.answered(asked, outcome, now));
    boolean probed = tracked == probe && breaker.isOpen();
    probe = tracked == probe ? null : probe;
    return probed;
  }

  /** Fails what was not answered in time; returns when to look again. */
  long timeouts(long now) {
    return awaitedAnswers.timeouts(now, tracked -> answer(tracked, notInTime(), now));
  }

  private Outcome notInTime() {
    long millis = destination.sendTimeout().toMillis();
    Reason late = Reason.of(Reason.TIMEOUT, "no answer within " + millis + " ms");
    // Handlers are code of this program: there is no receiver that could be away.
    return destination.direction() == Direction.IN
        ? Outcome.failedByMessage(late)
        : Outcome.failed(late);
  }

  /** With nothing on its way that could tell, no suspect waits any longer. */
  private void judgeIfNothingElseCanTell() {
    if (gate.inFlight() == 0 && nothingElseCanBeSent()) {
      blame.nothingElseCanTell();
    }
  }

  private boolean nothingElseCanBeSent() {
    return !scheduler.canSend() && !settleFreesOthers();
  }

  private boolean settleFreesOthers() {
    return hasReady() && gate.unsettled() > blame.suspects();
  }

  /**
   * Parks the few messages whose answers are late while all others of their batches are done, and
   * goes on waiting for the answers. Otherwise one slow message would hold up everything behind its
   * batch.
   */
  void setAside(long now, Duration slowAfter) {
    if (blame.suspects() > 0 && now - startedAt >= slowAfter.toNanos() && nothingElseCanBeSent()) {
      // What is on its way began too early to tell, and is slow.
      blame.nothingElseCanTell();
    }
    if (!scheduler.isEmpty() || blame.suspects() > 0 || logBatches.isEmpty() || breaker.isOpen()) {
      return;
    }
    int undecided = 0;
    int all = 0;
    for (TrackedBatch batch : logBatches) {
      undecided += batch.undecided;
      all += batch.deliveries.size();
    }
    if (undecided > Math.max(FEW_LATE, all / 20)) {
      return;
    }
    for (TrackedBatch batch : logBatches) {
      for (TrackedDelivery tracked : batch.deliveries) {
        if (tracked.state == TrackedDelivery.State.IN_FLIGHT
            && now - tracked.startedAt >= slowAfter.toNanos()) {
          setAside(tracked);
        }
      }
    }
  }

  private void setAside(TrackedDelivery slow) {
    TrackedBatch batch = TrackedBatch.ofSetAside(slow);
    TrackedDelivery aside = batch.deliveries.get(0);
    aside.state = TrackedDelivery.State.IN_FLIGHT;
    aside.startedAt = slow.startedAt;
    aside.span = slow.span;
    aside.takeOverSuspicion(slow);
    awaitedAnswers.setAside(aside);
    parkedBatches.add(batch);
    decisions.setAside(slow, aside);
    slow.aside = aside;
    gate.sendStarted(aside);
    probe = slow == probe ? aside : probe;
  }

  private void reportFailedCall(TrackedDelivery tracked, Reason reason) {
    tracked.span.failed(reason.code());
    observer.on(new Event.CallFailed(destination.name(), tracked.delivery, reason));
  }

  /** Nobody hears any more what came of those that are on their way. */
  void endSpans() {
    awaitedAnswers.endSpans();
  }

  // ---- what the loop asks ----

  Breaker breaker() {
    return breaker;
  }

  Blame blame() {
    return blame;
  }

  void rate(double perSecond) {
    gate.rate(perSecond);
  }

  Deque<TrackedBatch> logBatches() {
    return logBatches;
  }

  List<TrackedBatch> parkedBatches() {
    return parkedBatches;
  }

  /** What came of it is written down. */
  void settled(TrackedDelivery tracked) {
    tracked.settled = true;
    gate.settled(tracked);
  }

  KeyChains chains() {
    return chains;
  }

  Refusals refusals() {
    return refusals;
  }

  int inFlight() {
    return gate.inFlight();
  }

  /** Nothing more is handed over, and nothing is on its way, until something is settled. */
  boolean waitsForSettle() {
    return gate.inFlight() == 0 && gate.unsettledFull();
  }

  boolean hasReady() {
    return scheduler.anyWaiting();
  }

  /**
   * One is on its way, or waits, that may show whether the destination works. Those that have
   * failed before may be at fault themselves, so that others should be claimed.
   */
  boolean hasProbe() {
    return gate.inFlight() > 0 || scheduler.anyNeverFailed();
  }

  /** When there may be something to dispatch again, if nothing else happens before. */
  long dispatchAt(long now) {
    if (breaker.isOpen()) {
      return scheduler.isEmpty() || probe != null ? Long.MAX_VALUE : breaker.probeAt();
    }
    return gate.nextAt(scheduler.canSend(), now);
  }
}
