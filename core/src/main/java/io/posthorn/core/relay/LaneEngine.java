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
  private static final int FEW = 8;

  private final Destination destination;
  private final PayloadCipher cipher;
  private final Observer observer;
  private final SafeConnector word;
  private final Breaker breaker;
  private final SendGate gate;
  private final Expiry expiry;
  private final ReadyQueue line;
  private final AwaitedAnswers underway;
  private final Refusals refusals;

  private final KeyChains chains = new KeyChains();
  private final Decisions decisions;
  private final Blame blame;
  private final Deque<TrackedBatch> flights = new ArrayDeque<>();
  private final List<TrackedBatch> parkedFlights = new ArrayList<>();
  private @Nullable TrackedDelivery probe;
  private SteeringState steered = SteeringState.NOT;
  private boolean decidedUnsent;
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
    this.word = new SafeConnector(destination);
    this.gate = new SendGate(destination, word, mostUnsettled, now);
    this.expiry = new Expiry(destination);
    this.line = new ReadyQueue(gate, expiry, this::tooOld);
    this.refusals = new Refusals(destination::afterDead);
    this.underway = new AwaitedAnswers(destination.sendTimeout());
    this.decisions = new Decisions(destination, chains, random, this::ready);
    this.blame = new Blame(destination, observer, breaker, decisions, this::line, this::isAlone);
    this.startedAt = now;
  }

  // ---- taking in ----

  /** The batch is in memory since {@code readAt}. */
  void take(Batch batch, long readAt) {
    TrackedBatch flight = new TrackedBatch(batch, batch.deliveries());
    flight.seen(readAt);
    observer.on(new Event.Claimed(destination.name(), flight.slots.size(), false));
    flights.add(flight);
    for (TrackedDelivery slot : flight.slots) {
      Key key = slot.key();
      if (isFuture(slot.delivery, batch.claimedAt())) {
        decisions.scheduled(slot);
      } else if (key != null && (batch.blocked().contains(key) || chains.isBlocked(key))) {
        decisions.behind(slot);
      } else {
        enqueue(slot, key);
      }
    }
  }

  /** None if all of them have to stay as they are for now: then there is nothing to settle. */
  @Nullable TrackedBatch takeParked(List<Delivery> deliveries) {
    TrackedBatch flight = new TrackedBatch(null, deliveries);
    Set<UUID> here = awaited();
    parkedFlights.add(flight);
    Set<Key> over = new HashSet<>();
    for (TrackedDelivery slot : flight.slots) {
      Key key = slot.key();
      if (key != null && (over.contains(key) || chains.isUnstored(key))) {
        // One before it had to be parked again, for want of code, or is not stored as parked yet.
        decisions.stays(slot);
      } else if (here.contains(slot.delivery.message().id())) {
        decisions.stays(slot);
      } else {
        enqueue(slot, key);
        if (key != null && slot.state == TrackedDelivery.State.DECIDED) {
          over.add(key);
        }
      }
    }
    if (flight.staysAsItIs()) {
      parkedFlights.remove(flight);
      return null;
    }
    observer.on(new Event.Claimed(destination.name(), flight.slots.size(), true));
    return flight;
  }

  /** Messages that were set aside: a late answer may still come, so they are not sent again. */
  private Set<UUID> awaited() {
    Set<UUID> ids = new HashSet<>();
    for (TrackedBatch flight : parkedFlights) {
      flight.slots.forEach(slot -> ids.add(slot.delivery.message().id()));
    }
    return ids;
  }

  /** Drops everything; nothing may be in flight or unsettled. It is claimed again later. */
  void forget() {
    flights.clear();
    parkedFlights.clear();
    line.forget();
    blame.forget();
    chains.forget();
    refusals.forget();
  }

  private static boolean isFuture(Delivery delivery, Instant now) {
    Instant notBefore = delivery.message().notBefore();
    return notBefore != null && notBefore.isAfter(now);
  }

  private void enqueue(TrackedDelivery slot, @Nullable Key key) {
    if (key == null || chains.append(slot, key)) {
      ready(slot);
    }
  }

  private void ready(TrackedDelivery slot) {
    Reason unreadable = slot.delivery.unreadable();
    if (unreadable != null) {
      decisions.unreadable(slot, unreadable);
      return;
    }
    Boolean serves = word.serves(slot.delivery.message().type());
    if (serves == null) {
      decisions.unclear(slot);
    } else if (serves) {
      line(slot);
    } else {
      decisions.unserved(slot);
    }
  }

  /** To the end of the line, or out of it if a person says so. */
  private void line(TrackedDelivery slot) {
    if (isPaused(slot)) {
      pause(slot);
    } else {
      line.add(slot);
    }
  }

  // ---- what people say ----

  /** Heeds it from now on, also for what is in memory and not yet with the connector. */
  void steer(SteeringState said) {
    steered = said;
    line.takeOut(this::isPaused).forEach(this::pause);
    // The suspects may have waited for those to be sent.
    judgeIfNothingElse();
  }

  private boolean isPaused(TrackedDelivery slot) {
    Message message = slot.delivery.message();
    return steered.pausesType(message) || steered.pausesKey(message);
  }

  private void pause(TrackedDelivery slot) {
    if (steered.pausesType(slot.delivery.message())) {
      decisions.typePaused(slot);
    } else {
      decisions.keyPaused(slot);
    }
  }

  // ---- sending ----

  /** What to hand to the connector now; answers must come back through {@link #answer}. */
  List<TrackedDelivery> dispatch(long now) {
    flights.forEach(flight -> flight.seen(now));
    parkedFlights.forEach(flight -> flight.seen(now));
    // Also if no probe is due: they may be all there are, and it is they who wait for it then.
    line.letBack();
    List<TrackedDelivery> round = breaker.isOpen() ? probe(now) : line.round(now);
    round.forEach(slot -> blame.tries(slot, now));
    underway.started(round);
    if (round.isEmpty()) {
      judgeIfNothingElse();
    } else {
      startedAt = now;
    }
    return round;
  }

  private List<TrackedDelivery> probe(long now) {
    if (probe != null || now < breaker.probeAt()) {
      return List.of();
    }
    probe = line.probe(now);
    return probe == null ? List.of() : List.of(probe);
  }

  private void tooOld(TrackedDelivery slot, Duration limit) {
    decisions.expired(slot, limit);
    decidedUnsent = true;
  }

  /** Whether messages were given up instead of being sent, since this was asked last. */
  boolean decidedUnsent() {
    boolean decided = decidedUnsent;
    decidedUnsent = false;
    return decided;
  }

  /** The message as the connector gets it. */
  Message open(TrackedDelivery slot) {
    Message message = slot.delivery.handedOver();
    String keyId = slot.delivery.cipherKey();
    return keyId == null ? message : message.withPayload(cipher.decrypt(message, keyId));
  }

  // ---- answers ----

  /**
   * An answer to the attempt that began then. One that comes when the message is under way again
   * belongs to an attempt that has failed, and changes nothing.
   */
  void answer(TrackedDelivery asked, long began, Outcome outcome, long now) {
    if (awaiting(asked).startedAt == began) {
      answer(asked, outcome, now);
    }
  }

  private static TrackedDelivery awaiting(TrackedDelivery asked) {
    return asked.aside == null ? asked : asked.aside;
  }

  /** An answer came. A second one, or one after the timeout, changes nothing. */
  void answer(TrackedDelivery asked, Outcome outcome, long now) {
    TrackedDelivery slot = awaiting(asked);
    if (slot.state != TrackedDelivery.State.IN_FLIGHT) {
      return;
    }
    boolean probed = answered(asked, slot, outcome, now);
    if (outcome instanceof Outcome.Sent sent) {
      slot.span.succeeded();
      blame.worked(slot, now);
      decisions.sent(slot, sent.stale());
    } else if (outcome instanceof Outcome.Rejected rejected) {
      told(slot, rejected.reason());
      blame.worked(slot, now);
      decisions.dead(slot, rejected.reason().code(), rejected.reason());
    } else if (outcome instanceof Outcome.Failed failed) {
      told(slot, failed.reason());
      slot.retryAfter = failed.retryAfter();
      blame.failed(slot, failed, now, probed);
    } else if (outcome instanceof Outcome.Unavailable unavailable) {
      told(slot, unavailable.reason());
      slot.retryAfter = Duration.ZERO;
      if (unavailable.forGood()) {
        blame.gone(slot, unavailable.reason(), now, probed);
      } else {
        blame.unavailable(slot, unavailable.reason(), now, probed);
      }
    }
    judgeIfNothingElse();
  }

  /**
   * An answer by this program, before the message was handed to the connector. Even a rejection
   * says nothing about the destination then.
   */
  void answeredUnsent(TrackedDelivery slot, long began, Outcome outcome, long now) {
    if (!(outcome instanceof Outcome.Rejected rejected)) {
      answer(slot, began, outcome, now);
    } else if (slot.state == TrackedDelivery.State.IN_FLIGHT && slot.startedAt == began) {
      answered(slot, slot, outcome, now);
      told(slot, rejected.reason());
      decisions.dead(slot, rejected.reason().code(), rejected.reason());
      judgeIfNothingElse();
    }
  }

  /** It is under way no longer; true if it was tried because the breaker is open. */
  private boolean answered(TrackedDelivery asked, TrackedDelivery slot, Outcome outcome, long now) {
    gate.answered(slot);
    observer.on(expiry.answered(asked, outcome, now));
    boolean probed = slot == probe && breaker.isOpen();
    probe = slot == probe ? null : probe;
    return probed;
  }

  /** Fails what was not answered in time; returns when to look again. */
  long timeouts(long now) {
    return underway.timeouts(now, slot -> answer(slot, notInTime(), now));
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
  private void judgeIfNothingElse() {
    if (gate.inFlight() == 0 && nothingElseGoes()) {
      blame.nothingElseCanTell();
    }
  }

  private boolean nothingElseGoes() {
    return !line.mayMove() && !settleLetsOthersGo();
  }

  private boolean settleLetsOthersGo() {
    return hasReady() && gate.unsettled() > blame.suspects();
  }

  private boolean isAlone() {
    return !hasReady() && gate.inFlight() == 0;
  }

  /**
   * Parks the few messages whose answers are late while all others of their batches are done, and
   * goes on waiting for the answers. Otherwise one slow message would hold up everything behind its
   * batch.
   */
  void setAside(long now, Duration slowAfter) {
    if (blame.suspects() > 0 && now - startedAt >= slowAfter.toNanos() && nothingElseGoes()) {
      // What is on its way began too early to tell, and is slow.
      blame.nothingElseCanTell();
    }
    if (!line.isEmpty() || blame.suspects() > 0 || flights.isEmpty() || breaker.isOpen()) {
      return;
    }
    int undecided = 0;
    int all = 0;
    for (TrackedBatch flight : flights) {
      undecided += flight.undecided;
      all += flight.slots.size();
    }
    if (undecided > Math.max(FEW, all / 20)) {
      return;
    }
    for (TrackedBatch flight : flights) {
      for (TrackedDelivery slot : flight.slots) {
        if (slot.state == TrackedDelivery.State.IN_FLIGHT
            && now - slot.startedAt >= slowAfter.toNanos()) {
          setAside(slot);
        }
      }
    }
  }

  private void setAside(TrackedDelivery slow) {
    TrackedBatch flight = TrackedBatch.aside(slow);
    TrackedDelivery aside = flight.slots.get(0);
    aside.state = TrackedDelivery.State.IN_FLIGHT;
    aside.startedAt = slow.startedAt;
    aside.span = slow.span;
    aside.wasSuspect(slow);
    underway.setAside(aside);
    parkedFlights.add(flight);
    decisions.setAside(slow, aside);
    slow.aside = aside;
    gate.handed(aside);
    probe = slow == probe ? aside : probe;
  }

  private void told(TrackedDelivery slot, Reason reason) {
    slot.span.failed(reason.code());
    observer.on(new Event.CallFailed(destination.name(), slot.delivery, reason));
  }

  /** Nobody hears any more what came of those that are on their way. */
  void endSpans() {
    underway.endSpans();
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

  Deque<TrackedBatch> flights() {
    return flights;
  }

  List<TrackedBatch> parkedFlights() {
    return parkedFlights;
  }

  /** What came of it is written down. */
  void settled(TrackedDelivery slot) {
    slot.settled = true;
    gate.settled(slot);
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
    return line.anyWaits();
  }

  /**
   * One is on its way, or waits, that may show whether the destination works. Those that have
   * failed before may be at fault themselves, so that others should be claimed.
   */
  boolean hasProbe() {
    return gate.inFlight() > 0 || line.anyUnsuspected();
  }

  /** When there may be something to dispatch again, if nothing else happens before. */
  long dispatchAt(long now) {
    if (breaker.isOpen()) {
      return line.isEmpty() || probe != null ? Long.MAX_VALUE : breaker.probeAt();
    }
    return gate.nextAt(line.mayMove(), now);
  }
}
