package io.posthorn.core.relay;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.PayloadCipher;
import io.posthorn.core.observe.Event;
import io.posthorn.core.observe.Observer;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Move;
import io.posthorn.core.store.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
 * <p><b>Blame.</b> A failure says either that the message is at fault, or the destination. An
 * unavailable destination opens the breaker, and the message is a suspect: it stays where it is and
 * no attempt counts. If it fails the same way again although others were sent in between, it is to
 * blame after all. Failures one after the other, without one success, are held as suspects as well,
 * until somebody is sent (they are to blame), or so many keys have failed that it must be the
 * destination.
 */
final class LaneEngine {
  private static final Duration UNSERVED_PAUSE = Duration.ofSeconds(5);

  /**
   * If nobody settles the answer of one that was set aside, it is tried again so long after the
   * timeout.
   */
  private static final Duration ANSWER_MARGIN = Duration.ofSeconds(10);

  /** So many late ones are few, however small their batch is. */
  private static final int FEW = 8;

  private final Destination destination;
  private final PayloadCipher cipher;
  private final Observer observer;
  private final RandomGenerator random;
  private final Breaker breaker;
  private final TokenBucket bucket;
  private final Map<String, TypeLimit> typeLimits = new HashMap<>();

  private final KeyChains chains = new KeyChains();
  private final Deque<Flight> flights = new ArrayDeque<>();
  private final List<Flight> parkedFlights = new ArrayList<>();
  private final Deque<Slot> ready = new ArrayDeque<>();
  private final List<Slot> suspects = new ArrayList<>();
  private final Deque<Slot> outstanding = new ArrayDeque<>();
  private int inFlight;
  private boolean probing;

  LaneEngine(
      Destination destination,
      PayloadCipher cipher,
      Observer observer,
      RandomGenerator random,
      long now) {
    this.destination = destination;
    this.cipher = cipher;
    this.observer = observer;
    this.random = random;
    this.breaker = new Breaker(destination.breakerAfter(), random);
    this.bucket = new TokenBucket(destination.limit().perSecond(), now);
  }

  // ---- taking in ----

  void take(Batch batch) {
    Flight flight = new Flight(batch, batch.deliveries());
    flights.add(flight);
    for (Slot slot : flight.slots) {
      Key key = slot.key();
      if (isFuture(slot.delivery, batch.claimedAt())) {
        slot.decide(new Move.Park(slot.delivery, Waiting.TIME, 0, Duration.ZERO, null));
      } else if (key != null && (batch.blocked().contains(key) || chains.isBlocked(key))) {
        park(slot, Waiting.TURN, 0, Duration.ZERO, null);
      } else {
        enqueue(slot, key);
      }
    }
    chains.claimTaken();
  }

  Flight takeParked(List<Delivery> deliveries) {
    Flight flight = new Flight(null, deliveries);
    parkedFlights.add(flight);
    for (Slot slot : flight.slots) {
      enqueue(slot, slot.key());
    }
    return flight;
  }

  /** Drops everything; nothing may be in flight or unsettled. It is claimed again later. */
  void forget() {
    flights.clear();
    parkedFlights.clear();
    ready.clear();
    suspects.clear();
    typeLimits.values().forEach(limit -> limit.waiting.clear());
    chains.forget();
  }

  private static boolean isFuture(Delivery delivery, Instant now) {
    Instant notBefore = delivery.message().notBefore();
    return notBefore != null && notBefore.isAfter(now);
  }

  private void enqueue(Slot slot, @Nullable Key key) {
    if (key == null || chains.append(slot, key)) {
      ready(slot);
    }
  }

  private void ready(Slot slot) {
    if (!destination.connector().serves(slot.delivery.message().type())) {
      Delivery delivery = slot.delivery;
      Reason reason =
          Reason.of(
              Reason.UNSERVED,
              "this relay has no code for type '" + delivery.message().type() + "'");
      parkWithRest(slot, Waiting.CODE, delivery.attempts(), UNSERVED_PAUSE, reason);
      return;
    }
    slot.state = Slot.State.READY;
    ready.add(slot);
  }

  // ---- sending ----

  /** What to hand to the connector now; answers must come back through {@link #answer}. */
  List<Slot> dispatch(long now) {
    if (breaker.isOpen()) {
      return probe(now);
    }
    List<Slot> round = new ArrayList<>();
    int most = destination.limit().maxInFlight();
    while (inFlight < most && !ready.isEmpty()) {
      Slot slot = ready.peek();
      TypeLimit limit = typeLimit(slot.delivery.message().type(), now);
      if (limit != null && !limit.mayGo(now)) {
        limit.waiting.add(ready.remove());
        continue;
      }
      if (!bucket.tryTake(now)) {
        if (limit != null) {
          limit.giveBack();
        }
        break;
      }
      ready.remove();
      start(slot, now);
      round.add(slot);
    }
    return round;
  }

  private List<Slot> probe(long now) {
    if (probing || now < breaker.probeAt() || ready.isEmpty()) {
      return List.of();
    }
    probing = true;
    Slot slot = ready.remove();
    TypeLimit limit = typeLimit(slot.delivery.message().type(), now);
    if (limit != null) {
      limit.inFlight++;
    }
    start(slot, now);
    return List.of(slot);
  }

  private void start(Slot slot, long now) {
    slot.state = Slot.State.IN_FLIGHT;
    slot.startedAt = now;
    outstanding.add(slot);
    inFlight++;
  }

  /** The message as the connector gets it. */
  Message open(Slot slot) {
    Message message = slot.delivery.message();
    String keyId = slot.delivery.cipherKey();
    return keyId == null ? message : message.withPayload(cipher.decrypt(message, keyId));
  }

  // ---- answers ----

  /** An answer came. A second one, or one after the timeout, changes nothing. */
  void answer(Slot asked, Outcome outcome, long now) {
    Slot slot = asked.aside == null ? asked : asked.aside;
    if (slot.state != Slot.State.IN_FLIGHT) {
      return;
    }
    inFlight--;
    probing = false;
    releaseTypeLimit(slot);
    if (outcome instanceof Outcome.Sent) {
      worked();
      sent(slot);
    } else if (outcome instanceof Outcome.Rejected rejected) {
      told(slot, rejected.reason());
      worked();
      die(slot, slot.delivery.attempts() + 1, rejected.reason().code(), rejected.reason());
    } else if (outcome instanceof Outcome.Failed failed) {
      told(slot, failed.reason());
      failed(slot, failed.reason(), now);
    } else if (outcome instanceof Outcome.Unavailable unavailable) {
      told(slot, unavailable.reason());
      unavailable(slot, unavailable.reason(), now);
    }
    blameIfNothingElse();
  }

  /** Fails what was not answered in time; returns when to look again. */
  long timeouts(long now) {
    long timeout = destination.sendTimeout().toNanos();
    while (!outstanding.isEmpty()) {
      Slot oldest = outstanding.peek();
      if (oldest.state == Slot.State.IN_FLIGHT) {
        if (now - oldest.startedAt < timeout) {
          return oldest.startedAt + timeout;
        }
        outstanding.remove();
        answer(
            oldest,
            Outcome.failed(
                Reason.of(
                    Reason.TIMEOUT,
                    "no answer within " + destination.sendTimeout().toMillis() + " ms")),
            now);
      } else {
        outstanding.remove();
      }
    }
    return Long.MAX_VALUE;
  }

  private void worked() {
    if (breaker.worked()) {
      observer.on(new Event.BreakerClosed(destination.name()));
    }
    List<Slot> blamed = List.copyOf(suspects);
    suspects.clear();
    blamed.forEach(this::blame);
  }

  private void failed(Slot slot, Reason reason, long now) {
    slot.failure = reason;
    if (breaker.isOpen()) {
      suspectAgain(slot, reason, now);
    } else if (slot.suspectedAt >= 0 && breaker.successes() > slot.suspectedAt) {
      blame(slot);
    } else {
      slot.state = Slot.State.SUSPECT;
      suspects.add(slot);
      if (breaker.failed(slot.blame())) {
        open(reason, now);
      }
    }
  }

  private void unavailable(Slot slot, Reason reason, long now) {
    slot.failure = reason;
    if (slot.suspectedAt >= 0 && breaker.successes() > slot.suspectedAt) {
      blame(slot);
    } else {
      suspectAgain(slot, reason, now);
    }
  }

  private void suspectAgain(Slot slot, Reason reason, long now) {
    slot.suspectedAt = breaker.successes();
    slot.state = Slot.State.READY;
    // To the end of the line: the next probe is another key's.
    ready.add(slot);
    open(reason, now);
  }

  private void open(Reason reason, long now) {
    if (breaker.open(reason, now)) {
      observer.on(new Event.BreakerOpened(destination.name(), reason));
    }
    for (Slot slot : suspects) {
      slot.suspectedAt = breaker.successes();
      slot.state = Slot.State.READY;
      ready.add(slot);
    }
    suspects.clear();
  }

  /** With nothing on its way that could tell, the messages are taken to be at fault. */
  private void blameIfNothingElse() {
    if (!suspects.isEmpty() && inFlight == 0 && ready.isEmpty()) {
      List<Slot> blamed = List.copyOf(suspects);
      suspects.clear();
      blamed.forEach(this::blame);
    }
  }

  /**
   * Parks the few messages whose answers are late while all others of their batches are done, and
   * goes on waiting for the answers. Otherwise one slow message would hold up everything behind its
   * batch.
   */
  void setAside(long now, Duration slowAfter) {
    if (!ready.isEmpty() || !suspects.isEmpty() || flights.isEmpty() || breaker.isOpen()) {
      return;
    }
    int undecided = 0;
    int all = 0;
    for (Flight flight : flights) {
      undecided += flight.undecided;
      all += flight.slots.size();
    }
    if (undecided > Math.max(FEW, all / 20)) {
      return;
    }
    for (Flight flight : flights) {
      for (Slot slot : flight.slots) {
        if (slot.state == Slot.State.IN_FLIGHT && now - slot.startedAt >= slowAfter.toNanos()) {
          setAside(slot);
        }
      }
    }
  }

  private void setAside(Slot slow) {
    Flight flight = Flight.aside(slow);
    Slot aside = flight.slots.get(0);
    aside.state = Slot.State.IN_FLIGHT;
    aside.startedAt = slow.startedAt;
    outstanding.addFirst(aside);
    parkedFlights.add(flight);
    Duration untilRetry = destination.sendTimeout().plus(ANSWER_MARGIN);
    park(slow, Waiting.ANSWER, slow.delivery.attempts(), untilRetry, null);
    slow.aside = aside;
    Key key = slow.key();
    if (key != null) {
      parkRest(slow, key);
      chains.append(aside, key);
    }
  }

  // ---- deciding ----

  private void sent(Slot slot) {
    slot.sent = true;
    slot.decide(slot.delivery.parked() ? new Move.Sent(slot.delivery) : null);
    next(slot);
  }

  private void blame(Slot slot) {
    Reason reason = slot.failure;
    if (reason == null) {
      throw new IllegalStateException("blamed without a reason: " + slot.delivery.message());
    }
    Delivery delivery = slot.delivery;
    int attempts = delivery.attempts() + 1;
    RetryPolicy policy = destination.retry(delivery.message().type());
    if (policy.exhausted(attempts, delivery.failingFor())) {
      die(slot, attempts, Reason.RETRY_EXHAUSTED, reason);
    } else {
      Duration pause = policy.pauseAfter(attempts, random);
      parkWithRest(slot, Waiting.RETRY, attempts, pause, reason);
    }
  }

  private void die(Slot slot, int attempts, String code, Reason reason) {
    AfterDead afterDead = destination.afterDead(slot.delivery.message().type());
    slot.decide(new Move.Die(slot.delivery, attempts, code, reason, afterDead));
    Key key = slot.key();
    if (afterDead == AfterDead.HOLD && key != null) {
      chains.parked(key);
      parkRest(slot, key);
    } else {
      next(slot);
    }
  }

  private void next(Slot done) {
    Key key = done.key();
    Slot next = key == null ? null : chains.advance(done, key);
    if (next != null) {
      ready(next);
    }
  }

  private void parkWithRest(
      Slot slot, Waiting waiting, int attempts, Duration pause, Reason reason) {
    park(slot, waiting, attempts, pause, reason);
    Key key = slot.key();
    if (key != null) {
      parkRest(slot, key);
    }
  }

  private void parkRest(Slot first, Key key) {
    for (Slot slot = chains.cut(first, key); slot != null; ) {
      Slot following = slot.next;
      slot.next = null;
      if (slot.delivery.parked()) {
        // It is parked already and stays as it is.
        slot.decide(null);
      } else {
        park(slot, Waiting.TURN, 0, Duration.ZERO, null);
      }
      slot = following;
    }
  }

  private void park(
      Slot slot, Waiting waiting, int attempts, Duration pause, @Nullable Reason reason) {
    slot.decide(new Move.Park(slot.delivery, waiting, attempts, pause, reason));
    Key key = slot.key();
    if (key != null) {
      chains.parked(key);
    }
  }

  private void told(Slot slot, Reason reason) {
    observer.on(new Event.CallFailed(destination.name(), slot.delivery, reason));
  }

  // ---- limits of single types ----

  private static final class TypeLimit {
    final SendLimit limit;
    final TokenBucket bucket;
    final Deque<Slot> waiting = new ArrayDeque<>();
    int inFlight;

    TypeLimit(SendLimit limit, long now) {
      this.limit = limit;
      this.bucket = new TokenBucket(limit.perSecond(), now);
    }

    boolean mayGo(long now) {
      if (inFlight >= limit.maxInFlight() || !bucket.tryTake(now)) {
        return false;
      }
      inFlight++;
      return true;
    }

    void giveBack() {
      inFlight--;
      bucket.giveBack();
    }
  }

  private @Nullable TypeLimit typeLimit(String type, long now) {
    SendLimit limit = destination.limit(type);
    return limit == null
        ? null
        : typeLimits.computeIfAbsent(type, key -> new TypeLimit(limit, now));
  }

  private void releaseTypeLimit(Slot slot) {
    TypeLimit limit = typeLimits.get(slot.delivery.message().type());
    if (limit != null) {
      limit.inFlight--;
    }
  }

  /** Puts back what waited for a limit of its type. */
  void retryLimited() {
    for (TypeLimit limit : typeLimits.values()) {
      if (limit.inFlight < limit.limit.maxInFlight()) {
        ready.addAll(limit.waiting);
        limit.waiting.clear();
      }
    }
  }

  // ---- what the loop asks ----

  Breaker breaker() {
    return breaker;
  }

  void rate(double perSecond) {
    bucket.rate(perSecond);
  }

  Deque<Flight> flights() {
    return flights;
  }

  List<Flight> parkedFlights() {
    return parkedFlights;
  }

  KeyChains chains() {
    return chains;
  }

  int inFlight() {
    return inFlight;
  }

  boolean hasReady() {
    return !ready.isEmpty() || typeLimits.values().stream().anyMatch(l -> !l.waiting.isEmpty());
  }

  /** When there may be something to dispatch again, if nothing else happens before. */
  long dispatchAt(long now) {
    if (breaker.isOpen()) {
      return ready.isEmpty() || probing ? Long.MAX_VALUE : breaker.probeAt();
    }
    if (inFlight >= destination.limit().maxInFlight()) {
      return Long.MAX_VALUE;
    }
    long at = ready.isEmpty() ? Long.MAX_VALUE : bucket.nextAt(now);
    for (TypeLimit limit : typeLimits.values()) {
      if (!limit.waiting.isEmpty()) {
        at = Math.min(at, limit.bucket.nextAt(now));
      }
    }
    return at;
  }
}
