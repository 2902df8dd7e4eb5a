package io.posthorn.core.relay;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.error.Sanitiser;
import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.PayloadCipher;
import io.posthorn.core.observe.Event;
import io.posthorn.core.observe.Observer;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Steered;
import io.posthorn.core.trace.LogFields;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
  private static final Logger LOG = LoggerFactory.getLogger(LaneEngine.class);

  /** So many late ones are few, however small their batch is. */
  private static final int FEW = 8;

  /**
   * So many calls of one message each may be made in a round: the lease is looked at in between.
   */
  private static final int MOST_ALONE = 10;

  /** How a span ends whose attempt was under way when the lane was lost. */
  private static final String NOT_HEARD = "LANE_LOST";

  private final Destination destination;
  private final PayloadCipher cipher;
  private final Observer observer;
  private final Breaker breaker;
  private final SendGate gate;
  private final Expiry expiry;

  private final KeyChains chains = new KeyChains();
  private final Decisions decisions;
  private final Blame blame;
  private final Deque<Flight> flights = new ArrayDeque<>();
  private final List<Flight> parkedFlights = new ArrayList<>();
  private final Deque<Slot> ready = new ArrayDeque<>();
  private final Deque<Slot> outstanding = new ArrayDeque<>();
  private final Queue<Slot> asides =
      new PriorityQueue<>((a, b) -> Long.compare(a.startedAt - b.startedAt, 0));
  private @Nullable Slot probe;

  /** Some that were handed over before may be in the line again. */
  private boolean again;

  /** Types of which the connector does not say whether it serves them. */
  private final Set<String> unclear = new HashSet<>();

  private Steered steered = Steered.NOT;
  private boolean decidedUnsent;

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
    this.gate = new SendGate(destination, mostUnsettled, now);
    this.expiry = new Expiry(destination);
    this.decisions = new Decisions(destination, chains, random, this::ready);
    this.blame = new Blame(destination, observer, breaker, decisions, this::line, this::isAlone);
  }

  // ---- taking in ----

  /** The batch is in memory since {@code readAt}. */
  void take(Batch batch, long readAt) {
    Flight flight = new Flight(batch, batch.deliveries());
    flight.seen(readAt);
    observer.on(new Event.Claimed(destination.name(), flight.slots.size(), false));
    flights.add(flight);
    for (Slot slot : flight.slots) {
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

  Flight takeParked(List<Delivery> deliveries) {
    Flight flight = new Flight(null, deliveries);
    observer.on(new Event.Claimed(destination.name(), flight.slots.size(), true));
    Set<UUID> here = awaited();
    parkedFlights.add(flight);
    Set<Key> over = new HashSet<>();
    for (Slot slot : flight.slots) {
      Key key = slot.key();
      if (key != null && (over.contains(key) || chains.isBlocked(key))) {
        // One before it had to be parked again, for want of code, or is not stored as parked yet.
        decisions.stays(slot);
      } else if (here.contains(slot.delivery.message().id())) {
        decisions.stays(slot);
      } else {
        enqueue(slot, key);
        if (key != null && slot.state == Slot.State.DECIDED) {
          over.add(key);
        }
      }
    }
    return flight;
  }

  /** Messages that were set aside: a late answer may still come, so they are not sent again. */
  private Set<UUID> awaited() {
    Set<UUID> ids = new HashSet<>();
    for (Flight flight : parkedFlights) {
      flight.slots.forEach(slot -> ids.add(slot.delivery.message().id()));
    }
    return ids;
  }

  /** Drops everything; nothing may be in flight or unsettled. It is claimed again later. */
  void forget() {
    flights.clear();
    parkedFlights.clear();
    ready.clear();
    again = false;
    blame.forget();
    gate.forget();
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
    String type = slot.delivery.message().type();
    boolean serves;
    try {
      serves = destination.connector().serves(type);
    } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
      unclear(type, e);
      decisions.unclear(slot);
      return;
    }
    if (serves) {
      line(slot);
    } else {
      decisions.unserved(slot);
    }
  }

  private void unclear(String type, Throwable why) {
    if (unclear.add(type)) {
      LOG.atWarn()
          .setCause(Sanitiser.clean(why))
          .addKeyValue(LogFields.DESTINATION, destination.name())
          .log("The connector does not say whether it serves type '{}', which waits", type);
    }
  }

  /** To the end of the line, or out of it if a person says so. */
  private void line(Slot slot) {
    if (isPaused(slot)) {
      pause(slot);
    } else {
      slot.state = Slot.State.READY;
      ready.add(slot);
      again |= slot.handed;
    }
  }

  // ---- what people say ----

  /** Heeds it from now on, also for what is in memory and not yet with the connector. */
  void steer(Steered said) {
    steered = said;
    List<Slot> paused = new ArrayList<>();
    ready.removeIf(slot -> isPaused(slot) && paused.add(slot));
    gate.giveUp(slot -> isPaused(slot) && paused.add(slot));
    paused.forEach(this::pause);
    // The suspects may have waited for those to be sent.
    blameIfNothingElse();
  }

  private boolean isPaused(Slot slot) {
    Message message = slot.delivery.message();
    return steered.pausesType(message) || steered.pausesKey(message);
  }

  private void pause(Slot slot) {
    if (steered.pausesType(slot.delivery.message())) {
      decisions.typePaused(slot);
    } else {
      decisions.keyPaused(slot);
    }
  }

  // ---- sending ----

  /** What to hand to the connector now; answers must come back through {@link #answer}. */
  List<Slot> dispatch(long now) {
    flights.forEach(flight -> flight.seen(now));
    parkedFlights.forEach(flight -> flight.seen(now));
    // Also for a probe: the kept ones may be all there are.
    gate.letBack(ready);
    if (breaker.isOpen()) {
      return probe(now);
    }
    List<Slot> round = new ArrayList<>();
    int alone = 0;
    for (Slot slot = nextReady(now); slot != null; slot = nextReady(now)) {
      if (slot.failedBefore() && alone == MOST_ALONE) {
        break;
      }
      SendGate.Answer answer = gate.ask(slot, now);
      if (answer == SendGate.Answer.CLOSED || (answer == SendGate.Answer.UNSETTLED && !again)) {
        break;
      }
      ready.remove();
      if (answer == SendGate.Answer.GO) {
        start(slot, now);
        round.add(slot);
        alone += slot.failedBefore() ? 1 : 0;
      } else if (answer == SendGate.Answer.UNSETTLED) {
        gate.keepUntilSettled(slot);
      }
    }
    if (again && ready.isEmpty()) {
      again = gate.keepsAny(slot -> slot.handed);
    }
    if (round.isEmpty()) {
      blameIfNothingElse();
    }
    return round;
  }

  /** The first that is not too old to be sent; those before it are dead. */
  private @Nullable Slot nextReady(long now) {
    boolean expired = false;
    Slot slot = ready.peek();
    for (; slot != null; slot = ready.peek()) {
      Duration passed = expiry.passed(slot, now);
      if (passed == null) {
        break;
      }
      ready.remove();
      decisions.expired(slot, passed);
      expired = true;
    }
    if (expired) {
      decidedUnsent = true;
      blameIfNothingElse();
    }
    return slot;
  }

  /** Whether messages were given up instead of being sent, since this was asked last. */
  boolean decidedUnsent() {
    boolean decided = decidedUnsent;
    decidedUnsent = false;
    return decided;
  }

  private List<Slot> probe(long now) {
    if (probe != null || now < breaker.probeAt()) {
      return List.of();
    }
    Slot slot = nextReady(now);
    for (; slot != null && gate.mustWait(slot); slot = nextReady(now)) {
      gate.keepUntilSettled(ready.remove());
    }
    if (slot == null) {
      return List.of();
    }
    ready.remove();
    probe = slot;
    gate.force(slot, now);
    start(slot, now);
    return List.of(slot);
  }

  private void start(Slot slot, long now) {
    slot.state = Slot.State.IN_FLIGHT;
    slot.startedAt = now;
    gate.handed(slot);
    outstanding.add(slot);
  }

  /** The message as the connector gets it. */
  Message open(Slot slot) {
    Message message = slot.delivery.handedOver();
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
    gate.answered(slot);
    observer.on(expiry.answered(asked, outcome, now));
    boolean probed = slot == probe && breaker.isOpen();
    probe = slot == probe ? null : probe;
    if (outcome instanceof Outcome.Sent sent) {
      slot.span.succeeded();
      blame.worked(slot);
      decisions.sent(slot, sent.stale());
    } else if (outcome instanceof Outcome.Rejected rejected) {
      told(slot, rejected.reason());
      blame.worked(slot);
      decisions.dead(slot, rejected.reason().code(), rejected.reason());
    } else if (outcome instanceof Outcome.Failed failed) {
      told(slot, failed.reason());
      slot.retryAfter = failed.retryAfter();
      blame.failed(slot, failed.reason(), now, probed);
    } else if (outcome instanceof Outcome.Unavailable unavailable) {
      told(slot, unavailable.reason());
      slot.retryAfter = Duration.ZERO;
      if (unavailable.forGood()) {
        blame.gone(slot, unavailable.reason(), now, probed);
      } else {
        blame.unavailable(slot, unavailable.reason(), now, probed);
      }
    }
    blameIfNothingElse();
  }

  /** Fails what was not answered in time; returns when to look again. */
  long timeouts(long now) {
    return Math.min(timeouts(outstanding, now), timeouts(asides, now));
  }

  /** The same for these, which stand in the order they were started. */
  private long timeouts(Queue<Slot> started, long now) {
    long timeout = destination.sendTimeout().toNanos();
    while (!started.isEmpty()) {
      Slot oldest = started.peek();
      if (oldest.state == Slot.State.IN_FLIGHT) {
        if (now - oldest.startedAt < timeout) {
          return oldest.startedAt + timeout;
        }
        started.remove();
        answer(
            oldest,
            Outcome.failed(
                Reason.of(
                    Reason.TIMEOUT,
                    "no answer within " + destination.sendTimeout().toMillis() + " ms")),
            now);
      } else {
        started.remove();
      }
    }
    return Long.MAX_VALUE;
  }

  /** With nothing on its way that could tell, the messages are taken to be at fault. */
  private void blameIfNothingElse() {
    boolean settleLetsOthersGo = hasReady() && gate.unsettled() > blame.suspects();
    if (gate.inFlight() == 0 && !lineMayMove() && !settleLetsOthersGo) {
      blame.all();
    }
  }

  /** Not if all that is in it waits for a settle. */
  private boolean lineMayMove() {
    return !ready.isEmpty() && (again || !gate.unsettledFull());
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
    if (!ready.isEmpty() || blame.suspects() > 0 || flights.isEmpty() || breaker.isOpen()) {
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
    aside.span = slow.span;
    asides.add(aside);
    parkedFlights.add(flight);
    decisions.setAside(slow, aside);
    slow.aside = aside;
    gate.handed(aside);
    probe = slow == probe ? aside : probe;
  }

  private void told(Slot slot, Reason reason) {
    slot.span.failed(reason.code());
    observer.on(new Event.CallFailed(destination.name(), slot.delivery, reason));
  }

  /** Nobody hears any more what came of those that are on their way. */
  void endSpans() {
    outstanding.forEach(slot -> slot.span.failed(NOT_HEARD));
    asides.forEach(slot -> slot.span.failed(NOT_HEARD));
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

  Deque<Flight> flights() {
    return flights;
  }

  List<Flight> parkedFlights() {
    return parkedFlights;
  }

  /** What came of it is written down. */
  void settled(Slot slot) {
    slot.settled = true;
    gate.settled(slot);
  }

  KeyChains chains() {
    return chains;
  }

  int inFlight() {
    return gate.inFlight();
  }

  /** Nothing more is handed over, and nothing is on its way, until something is settled. */
  boolean waitsForSettle() {
    return gate.inFlight() == 0 && gate.unsettledFull();
  }

  boolean hasReady() {
    return !ready.isEmpty() || gate.keepsAny(slot -> true);
  }

  /** When there may be something to dispatch again, if nothing else happens before. */
  long dispatchAt(long now) {
    if (breaker.isOpen()) {
      return ready.isEmpty() || probe != null ? Long.MAX_VALUE : breaker.probeAt();
    }
    return gate.nextAt(lineMayMove(), now);
  }
}
