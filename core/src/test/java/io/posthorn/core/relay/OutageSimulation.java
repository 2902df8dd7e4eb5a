package io.posthorn.core.relay;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.PayloadCipher;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.Move;
import io.posthorn.core.store.Settlement;
import io.posthorn.core.store.Waiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.UnaryOperator;

/**
 * A lane, a store in memory and a destination whose health changes over time, driven by one seed
 * and a simulated clock. The simulation checks the order of each key while it runs.
 */
final class OutageSimulation {
  /** How the destination treats the messages that reach it. */
  enum Phase {
    GOOD,
    DOWN,
    UNREACHABLE,
    SILENT,
    SOME_FAIL,
    SLOW
  }

  static final Duration TIMEOUT = Duration.ofSeconds(2);
  static final RetryPolicy RETRY =
      RetryPolicy.DEFAULT.backoff(Duration.ofMillis(200), Duration.ofSeconds(2)).attempts(3);
  private static final int PAGES = 3;
  private static final Reason BUSY = Reason.of("HTTP_503", "busy");
  private static final Duration SLOW_AFTER = Duration.ofMillis(500);

  /** One message, from its commit to its end. */
  private static final class SimulatedMessage {
    final Message message;
    final long seq;
    final boolean poison;
    int attempts;
    long dueAt;
    boolean turn;
    long suspectedAt = -1;
    boolean dead;
    boolean parked;
    final List<String> history = new ArrayList<>();

    SimulatedMessage(Message message, long seq, boolean poison) {
      this.message = message;
      this.seq = seq;
      this.poison = poison;
    }
  }

  private record Answer(long at, long began, TrackedDelivery tracked, Outcome outcome) {}

  final Random random;
  final LaneEngine engine;
  private final int page;
  private final Map<UUID, SimulatedMessage> messages = new LinkedHashMap<>();

  /** The messages that are neither sent nor dead, in the order of the log. */
  private final Map<Long, SimulatedMessage> living = new TreeMap<>();

  private final PriorityQueue<Answer> answers =
      new PriorityQueue<>(Comparator.comparingLong(Answer::at));
  private final Map<UUID, TrackedDelivery> lastSend = new HashMap<>();
  private final TreeMap<Long, Phase> phases = new TreeMap<>();
  private final List<SimulatedMessage> log = new ArrayList<>();
  private TrackedBatch parkedBatch;
  private double failing;
  private long now = 1_000;
  private long seq;

  OutageSimulation(long seed, int page, int unsettled, UnaryOperator<Destination.Builder> choices) {
    this.random = new Random(seed);
    this.page = page;
    Destination destination =
        choices
            .apply(
                Destination.named("d", EngineFixture.noConnector())
                    .types("T")
                    .retry(RETRY)
                    .sendTimeout(TIMEOUT))
            .build();
    this.engine =
        new LaneEngine(
            destination,
            PayloadCipher.NONE,
            event -> {},
            random,
            LaneShare.alone(destination, now),
            unsettled,
            now);
    phases.put(0L, Phase.GOOD);
  }

  /** Puts the destination into this phase. */
  OutageSimulation phase(Phase phase) {
    phases.put(now, phase);
    return this;
  }

  /** Sets the share of calls that fail in {@link Phase#SOME_FAIL}. */
  OutageSimulation failing(double part) {
    failing = part;
    return this;
  }

  /** Commits a message, without a key if {@code key} is null. */
  void add(String key, boolean poison) {
    Message.Builder message = Message.of("T").json(new byte[0]);
    Message built = (key == null ? message : message.key("k", key)).build();
    SimulatedMessage one = new SimulatedMessage(built, ++seq, poison);
    messages.put(built.id(), one);
    living.put(one.seq, one);
    log.add(one);
  }

  /** Lets time pass, with one round of the lane at each step. */
  void run(Duration time) {
    long end = now + time.toNanos();
    while (now < end) {
      turn();
      now += Duration.ofMillis(1 + random.nextInt(9)).toNanos();
    }
  }

  /** Runs until all messages are sent or dead; returns false if that takes longer. */
  boolean runToTheEnd(Duration atMost) {
    long end = now + atMost.toNanos();
    while (now < end && left() > 0) {
      run(Duration.ofMillis(100));
    }
    return left() == 0;
  }

  long left() {
    return living.size();
  }

  /** How many messages that are not poison are dead, or have attempts that counted. */
  long charged() {
    return messages.values().stream().filter(s -> !s.poison && (s.dead || s.attempts > 0)).count();
  }

  /** The history of the first message that breaks the expectation, to see why. */
  String history(boolean poison) {
    return messages.values().stream()
        .filter(s -> s.poison == poison && (poison ? !s.dead : s.dead || s.attempts > 0))
        .findFirst()
        .map(s -> s.seq + ": " + String.join("\n", s.history) + "\n" + phases)
        .orElse("none");
  }

  private void record(Delivery delivery, String what) {
    List<String> history = messages.get(delivery.message().id()).history;
    if (history.size() < 200) {
      history.add(now / 1_000_000 + " " + what + " " + phases.floorEntry(now).getValue());
    }
  }

  long deadPoison() {
    return messages.values().stream().filter(one -> one.poison && one.dead).count();
  }

  long attemptsOfPoison() {
    return messages.values().stream().filter(s -> s.poison).mapToLong(s -> s.attempts).sum();
  }

  private void turn() {
    while (!answers.isEmpty() && answers.peek().at <= now) {
      Answer answer = answers.remove();
      record(answer.tracked.delivery, "answered " + answer.outcome.getClass().getSimpleName());
      engine.answer(answer.tracked, answer.began, answer.outcome, now);
    }
    engine.timeouts(now);
    engine.setAside(now, SLOW_AFTER);
    for (List<TrackedDelivery> round = engine.dispatch(now);
        !round.isEmpty();
        round = engine.dispatch(now)) {
      round.forEach(this::send);
    }
    if (random.nextInt(4) == 0 || engine.inFlight() == 0) {
      settle();
    }
    claim();
    claimParked();
  }

  private void send(TrackedDelivery tracked) {
    checkOrder(tracked);
    record(tracked.delivery, "handed");
    lastSend.put(tracked.delivery.message().id(), tracked);
    long reached = now + Duration.ofMillis(1 + random.nextInt(20)).toNanos();
    Answer answer = reached(tracked, reached);
    if (answer != null) {
      answers.add(answer);
    }
  }

  private void checkOrder(TrackedDelivery tracked) {
    Key key = tracked.key();
    for (SimulatedMessage one : living.values()) {
      boolean before = one.seq < tracked.delivery.seq();
      if (key != null && before && key.equals(one.message.key()) && !isDone(one)) {
        throw new AssertionError(tracked.delivery.seq() + " overtakes " + one.seq + " of its key");
      }
    }
  }

  private boolean isDone(SimulatedMessage one) {
    TrackedDelivery tracked = lastSend.get(one.message.id());
    TrackedDelivery last = tracked == null || tracked.aside == null ? tracked : tracked.aside;
    return last != null && (last.sent || last.move instanceof Move.Die);
  }

  private Answer reached(TrackedDelivery tracked, long at) {
    Phase phase = phases.floorEntry(now).getValue();
    boolean poison = messages.get(tracked.delivery.message().id()).poison;
    long back = at + Duration.ofMillis(1 + random.nextInt(20)).toNanos();
    long later = at + Duration.ofMillis(random.nextInt(1_500)).toNanos();
    boolean fails = poison || (phase == Phase.SOME_FAIL && random.nextDouble() < failing);
    return switch (phase) {
      case GOOD, SOME_FAIL -> {
        // Some calls take long although the destination works.
        long when = random.nextInt(50) == 0 ? later : back;
        yield new Answer(when, now, tracked, fails ? failed() : Outcome.SENT);
      }
      case SLOW -> new Answer(later, now, tracked, fails ? failed() : Outcome.SENT);
      case DOWN -> new Answer(back, now, tracked, failed());
      case UNREACHABLE -> new Answer(back, now, tracked, Outcome.unavailable(BUSY));
      case SILENT -> null;
    };
  }

  private static Outcome failed() {
    return Outcome.failed(BUSY);
  }

  private void settle() {
    Settling settling = new Settling(engine);
    if (settling.isEmpty()) {
      return;
    }
    Settlement settlement =
        settling.settlement(
            new Lane("d", 0, UUID.randomUUID()), UUID.randomUUID(), UUID.randomUUID(), null);
    settlement.moves().forEach(this::apply);
    for (List<TrackedBatch> batches :
        List.of(List.copyOf(engine.logBatches()), engine.parkedBatches())) {
      for (TrackedBatch batch : batches) {
        for (TrackedDelivery tracked : batch.deliveries) {
          if (tracked.state == TrackedDelivery.State.DECIDED && !tracked.settled && tracked.sent) {
            over(messages.get(tracked.delivery.message().id()));
          }
        }
      }
    }
    settling.written("d", event -> {});
  }

  private void apply(Move move) {
    record(move.delivery(), EngineFixture.text(move));
    SimulatedMessage one = messages.get(move.delivery().message().id());
    if (move instanceof Move.Park park) {
      one.parked = true;
      one.turn = park.waiting() == Waiting.TURN;
      one.dueAt = now + park.delay().toNanos();
      boolean counts = park.attempts() > one.attempts;
      boolean suspect = park.waiting() == Waiting.RETRY && !counts;
      one.suspectedAt = counts ? -1 : suspect && one.suspectedAt < 0 ? now : one.suspectedAt;
      one.attempts = park.attempts();
    } else if (move instanceof Move.Die die) {
      one.attempts = die.attempts();
      one.dead = true;
      over(one);
    }
  }

  private void over(SimulatedMessage one) {
    living.remove(one.seq);
  }

  private void claim() {
    boolean waits = engine.breaker().isOpen() && engine.hasProbe();
    if (log.isEmpty() || waits || engine.logBatches().size() >= PAGES) {
      return;
    }
    List<SimulatedMessage> next = log.subList(0, Math.min(page, log.size()));
    Set<Key> blocked = new HashSet<>();
    living.values().stream()
        .filter(one -> one.parked && one.message.key() != null)
        .forEach(one -> blocked.add(one.message.key()));
    List<Delivery> deliveries = next.stream().map(one -> delivery(one, false)).toList();
    long start = deliveries.get(0).seq() - 1;
    long end = deliveries.get(deliveries.size() - 1).seq();
    engine.take(new EngineFixture.TestBatch(deliveries, blocked, start, end), now);
    next.clear();
  }

  private void claimParked() {
    boolean starved = !engine.hasReady() && engine.inFlight() == 0;
    if (engine.parkedBatches().contains(parkedBatch) || (engine.breaker().isOpen() && !starved)) {
      return;
    }
    Set<Key> heads = new HashSet<>();
    List<Delivery> due = new ArrayList<>();
    for (SimulatedMessage one : living.values()) {
      Key key = one.message.key();
      boolean head = one.parked && (key == null || heads.add(key));
      if (head && (one.turn || one.dueAt <= now)) {
        due.add(delivery(one, true));
      }
    }
    if (!due.isEmpty()) {
      parkedBatch = engine.takeParked(due);
    }
  }

  private Delivery delivery(SimulatedMessage one, boolean parked) {
    Duration suspectFor =
        one.suspectedAt < 0 ? Duration.ZERO : Duration.ofNanos(now - one.suspectedAt);
    return new Delivery(
        one.message,
        one.seq,
        EngineFixture.NOW,
        one.attempts,
        Duration.ZERO,
        parked,
        null,
        0,
        false,
        Duration.ZERO,
        suspectFor,
        null);
  }
}
