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
 * What a lane does between claim and settle, as a state machine. It takes in batches and answers,
 * returns the messages to send, and decides what the next settle writes. It has no thread, no clock
 * and no database, so that tests can play every order of events.
 *
 * <p><b>Order.</b> A message reaches the connector only after its predecessor of the key was sent
 * or parked: across batches, the log and the parked messages. When a message fails, all later
 * messages of its key in memory are parked too.
 *
 * <p><b>Blame.</b> When a send fails, either the message or the destination is at fault: see {@link
 * Blame}.
 *
 * <p><b>Pause.</b> A message whose type or key a person paused is neither sent nor used as a probe.
 * It is parked as soon as it could be sent, and later messages of its key are parked behind it.
 */
final class LaneEngine {
  /** Of the messages that may be unsettled, one in this many may be set aside. */
  private static final int ASIDE_SHARE = 8;

  private static final int FEW_ASIDE = 8;

  private final Destination destination;
  private final PayloadCipher cipher;
  private final Observer observer;
  private final Breaker breaker;
  private final SendGate gate;
  private final Expiry expiry;
  private final AwaitedAnswers awaitedAnswers;
  private final AnswerTimes answerTimes = new AnswerTimes();
  private final int mostAside;
  private final Refusals refusals;

  private final KeyChains chains = new KeyChains();
  private final Decisions decisions;
  private final SendScheduler scheduler;
  private final Blame blame;
  private final Deque<TrackedBatch> logBatches = new ArrayDeque<>();
  private final List<TrackedBatch> parkedBatches = new ArrayList<>();
  private @Nullable TrackedDelivery probe;
  private long lastSendAt;

  /** No message of a log batch that was sent before this time is in flight. */
  private long oldestStartedAt;

  LaneEngine(
      Destination destination,
      PayloadCipher cipher,
      Observer observer,
      RandomGenerator random,
      LaneShare.Member share,
      int mostUnsettled,
      long now) {
    this.destination = destination;
    this.cipher = cipher;
    this.observer = observer;
    this.breaker = new Breaker(destination.breakerAfter(), random);
    SafeConnector connector = new SafeConnector(destination);
    this.gate = new SendGate(destination, share, mostUnsettled);
    this.expiry = new Expiry(destination);
    this.refusals = new Refusals(destination::afterDead);
    this.awaitedAnswers = new AwaitedAnswers(destination.sendTimeout());
    this.decisions = new Decisions(destination, chains, random);
    this.scheduler = new SendScheduler(connector, gate, expiry, chains, decisions);
    this.blame = new Blame(destination, observer, breaker, decisions, scheduler);
    this.lastSendAt = now;
    this.oldestStartedAt = now;
    this.mostAside = Math.max(FEW_ASIDE, mostUnsettled / ASIDE_SHARE);
  }

  // ---- taking in ----

  /** Takes in a batch of the log, which has been in memory since {@code readAt}. */
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

  /** Takes in parked messages; returns null if none can start yet, so that nothing is settled. */
  @Nullable TrackedBatch takeParked(List<Delivery> deliveries) {
    TrackedBatch batch = new TrackedBatch(null, deliveries);
    Set<UUID> idsInMemory = idsInParkedBatches();
    parkedBatches.add(batch);
    Set<Key> decidedKeys = new HashSet<>();
    for (TrackedDelivery tracked : batch.deliveries) {
      Key key = tracked.key();
      if (key != null && (decidedKeys.contains(key) || chains.isUnstored(key))) {
        // An earlier message of the key was parked again, or is not stored as parked yet.
        decisions.leaveParked(tracked);
      } else if (idsInMemory.contains(tracked.delivery.message().id())) {
        decisions.leaveParked(tracked);
      } else {
        scheduler.add(tracked);
        if (key != null && tracked.state == TrackedDelivery.State.DECIDED) {
          decidedKeys.add(key);
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

  /**
   * The ids of the parked messages in memory: some may still be answered, so none is sent again.
   */
  private Set<UUID> idsInParkedBatches() {
    Set<UUID> ids = new HashSet<>();
    for (TrackedBatch batch : parkedBatches) {
      batch.deliveries.forEach(tracked -> ids.add(tracked.delivery.message().id()));
    }
    return ids;
  }

  /** Drops all messages, which are claimed again later. None may be in flight or unsettled. */
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

  // ---- pauses ----

  /** Applies these pauses from now on, also to messages in memory that are not yet sent. */
  void steer(SteeringState newSteering) {
    scheduler.steer(newSteering);
    // Suspects may have waited for a message that is paused now.
    judgeIfNothingElseCanTell();
  }

  // ---- sending ----

  /** The messages to hand to the connector now. Its answers come back through {@link #answer}. */
  List<TrackedDelivery> dispatch(long now) {
    logBatches.forEach(batch -> batch.markInMemory(now));
    parkedBatches.forEach(batch -> batch.markInMemory(now));
    // Even if no probe is due: the kept messages may be the only ones that can become the probe.
    scheduler.takeBackKept();
    gate.roundBegins();
    List<TrackedDelivery> round = breaker.isOpen() ? probe(now) : scheduler.round(now);
    gate.roundEnds(now);
    round.forEach(tracked -> blame.sendStarts(tracked, now));
    awaitedAnswers.started(round);
    if (round.isEmpty()) {
      judgeIfNothingElseCanTell();
    } else {
      lastSendAt = now;
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

  /** Whether messages expired instead of being sent since the last call of this method. */
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
   * Takes in an answer to the attempt that began at this time. If the message is in flight again,
   * the answer belongs to an earlier attempt that has failed, and changes nothing.
   */
  void answer(TrackedDelivery original, long began, Outcome outcome, long now) {
    if (setAsideOrSelf(original).startedAt == began) {
      answer(original, outcome, now);
    }
  }

  private static TrackedDelivery setAsideOrSelf(TrackedDelivery original) {
    return original.aside == null ? original : original.aside;
  }

  /** Takes in an answer. A second answer, or one after the timeout, changes nothing. */
  void answer(TrackedDelivery original, Outcome outcome, long now) {
    TrackedDelivery tracked = setAsideOrSelf(original);
    if (tracked.state != TrackedDelivery.State.IN_FLIGHT) {
      return;
    }
    boolean probed = endAttempt(original, tracked, outcome, now);
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
   * Takes in an outcome that this program decided before it called the connector. Not even a
   * rejection then shows whether the destination works.
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

  /** Ends an attempt; returns true if the message was the probe of an open breaker. */
  private boolean endAttempt(
      TrackedDelivery original, TrackedDelivery tracked, Outcome outcome, long now) {
    gate.answered(tracked, now);
    answerTimes.add(now - tracked.startedAt);
    observer.on(expiry.answered(original, outcome, now));
    boolean probed = tracked == probe && breaker.isOpen();
    probe = tracked == probe ? null : probe;
    return probed;
  }

  /** Fails messages that were not answered in time; returns when the next timeout is due. */
  long timeouts(long now) {
    return awaitedAnswers.timeouts(now, tracked -> answer(tracked, timedOut(), now));
  }

  private Outcome timedOut() {
    long millis = destination.sendTimeout().toMillis();
    // A handler too may wait for something that is unavailable.
    return Outcome.failed(Reason.of(Reason.TIMEOUT, "no answer within " + millis + " ms"));
  }

  /**
   * Judges all suspects if no message is in flight, or can be sent, that could show more. Messages
   * that were set aside were sent before the suspects failed, so their answers show nothing.
   */
  private void judgeIfNothingElseCanTell() {
    if (blame.suspects() > 0 && gate.inFlight() == aside() && nothingElseCanBeSent()) {
      blame.nothingElseCanTell();
    }
  }

  /** How many messages are in flight that were set aside. */
  private int aside() {
    int aside = 0;
    for (TrackedBatch batch : parkedBatches) {
      boolean awaited =
          batch.setAside && batch.deliveries.get(0).state == TrackedDelivery.State.IN_FLIGHT;
      aside += awaited ? 1 : 0;
    }
    return aside;
  }

  private boolean nothingElseCanBeSent() {
    return !scheduler.canSend() && !settleFreesOthers();
  }

  private boolean settleFreesOthers() {
    return hasReady() && gate.unsettled() > blame.suspects();
  }

  /**
   * Parks messages whose answers are late, if only they keep their batches from being settled. The
   * lane still waits for the answers. Otherwise one slow message would hold up everything behind
   * its batch.
   *
   * @param slowAfter after this time an answer is late, however slow the destination usually is
   * @return when to call again, if nothing else happens before
   */
  long setAside(long now, Duration slowAfter) {
    if (blame.suspects() > 0 && now - lastSendAt >= slowAfter.toNanos() && nothingElseCanBeSent()) {
      // The messages in flight began too early to show more, and they are slow.
      blame.nothingElseCanTell();
    }
    if (!scheduler.isEmpty()
        || blame.suspects() > 0
        || logBatches.isEmpty()
        || breaker.isOpen()
        || areTooManyLate()) {
      return Long.MAX_VALUE;
    }
    long lateAfter = answerTimes.lateAfter(slowAfter);
    if (now - oldestStartedAt < lateAfter) {
      return oldestStartedAt + lateAfter;
    }
    oldestStartedAt = now;
    for (TrackedBatch batch : logBatches) {
      for (TrackedDelivery tracked : batch.deliveries) {
        if (tracked.state == TrackedDelivery.State.IN_FLIGHT) {
          if (now - tracked.startedAt >= lateAfter) {
            setAside(tracked);
          } else {
            oldestStartedAt = Math.min(oldestStartedAt, tracked.startedAt);
          }
        }
      }
    }
    return oldestStartedAt + lateAfter;
  }

  /** Whether more messages are undecided than may be set aside, so that their batches stay. */
  private boolean areTooManyLate() {
    int undecided = 0;
    for (TrackedBatch batch : logBatches) {
      undecided += batch.undecided;
    }
    return undecided + aside() > mostAside;
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

  /** Ends the spans of all messages in flight: their answers are no longer taken in. */
  void endSpans() {
    awaitedAnswers.endSpans();
  }

  // ---- state for the loop ----

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

  /** Says that the outcome of this message is stored. */
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

  /** Whether nothing is in flight and nothing more can be sent before a settle. */
  boolean waitsForSettle() {
    return gate.inFlight() == 0 && gate.unsettledFull();
  }

  boolean hasReady() {
    return scheduler.anyWaiting();
  }

  /**
   * Whether a message is in flight, or waits, that can show whether the destination works. Messages
   * that have failed before may be at fault themselves; if there are no others, the lane claims
   * more.
   */
  boolean hasProbe() {
    return gate.inFlight() > 0 || scheduler.anyNeverFailed();
  }

  /** When there may be messages to dispatch, if nothing else happens before. */
  long dispatchAt(long now) {
    if (breaker.isOpen()) {
      return scheduler.isEmpty() || probe != null ? Long.MAX_VALUE : breaker.probeAt();
    }
    return gate.nextAt(scheduler.canSend(), now);
  }
}
