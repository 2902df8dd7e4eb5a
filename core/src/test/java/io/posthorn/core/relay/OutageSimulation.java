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
 * A lane, a store in memory and a destination that is well or not as the time goes by, all driven
 * by one seed and a clock of its own. It checks the order of each key while it runs.
 */
final class OutageSimulation {
  /** How the destination treats what reaches it. */
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
      RetryPolicy.DEFAULT.backoff(Duration.ofMillis(200), Duration.ofSeconds(2)).maxAttempts(3);
  private static final int PAGES = 3;
  private static final Reason BUSY = Reason.of("HTTP_503", "busy");
  private static final Duration SLOW_AFTER = Duration.ofMillis(500);

  /** One message, from its birth to its end. */
  private static final class Story {
    final Message message;
    final long seq;
    final boolean poison;
    int attempts;
    long dueAt;
    boolean turn;
    long suspectedAt = -1;
    boolean dead;
    boolean parked;
    final List<String> tale = new ArrayList<>();

    Story(Message message, long seq, boolean poison) {
      this.message = message;
      this.seq = seq;
      this.poison = poison;
    }
  }

  private record Answer(long at, long began, TrackedDelivery slot, Outcome outcome) {}

  final Random random;
  final LaneEngine engine;
  private final int page;
  private final Map<UUID, Story> stories = new LinkedHashMap<>();

  /** Those that have not ended, in the order of the log. */
  private final Map<Long, Story> living = new TreeMap<>();

  private final PriorityQueue<Answer> answers =
      new PriorityQueue<>(Comparator.comparingLong(Answer::at));
  private final Map<UUID, TrackedDelivery> handed = new HashMap<>();
  private final TreeMap<Long, Phase> phases = new TreeMap<>();
  private final List<Story> log = new ArrayList<>();
  private TrackedBatch parkedFlight;
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
        new LaneEngine(destination, PayloadCipher.NONE, event -> {}, random, unsettled, now);
    phases.put(0L, Phase.GOOD);
  }

  /** From now on the destination is like this. */
  OutageSimulation phase(Phase phase) {
    phases.put(now, phase);
    return this;
  }

  /** So many of the calls fail in the phases in which some do. */
  OutageSimulation failing(double part) {
    failing = part;
    return this;
  }

  /** A message is committed; one without key if there is none. */
  void add(String key, boolean poison) {
    Message.Builder message = Message.of("T").json(new byte[0]);
    Message built = (key == null ? message : message.key("k", key)).build();
    Story story = new Story(built, ++seq, poison);
    stories.put(built.id(), story);
    living.put(story.seq, story);
    log.add(story);
  }

  /** Lets time pass, in steps at which the lane turns round. */
  void run(Duration time) {
    long end = now + time.toNanos();
    while (now < end) {
      turn();
      now += Duration.ofMillis(1 + random.nextInt(9)).toNanos();
    }
  }

  /** Runs until all have ended; false if that takes longer. */
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

  /** How many of those that are not poison have died, or have attempts that counted. */
  long charged() {
    return stories.values().stream().filter(s -> !s.poison && (s.dead || s.attempts > 0)).count();
  }

  /** What became of the first of them, to see why. */
  String tale(boolean poison) {
    return stories.values().stream()
        .filter(s -> s.poison == poison && (poison ? !s.dead : s.dead || s.attempts > 0))
        .findFirst()
        .map(s -> s.seq + ": " + String.join("\n", s.tale) + "\n" + phases)
        .orElse("none");
  }

  private void tell(Delivery delivery, String what) {
    List<String> tale = stories.get(delivery.message().id()).tale;
    if (tale.size() < 200) {
      tale.add(now / 1_000_000 + " " + what + " " + phases.floorEntry(now).getValue());
    }
  }

  long deadPoison() {
    return stories.values().stream().filter(story -> story.poison && story.dead).count();
  }

  long attemptsOfPoison() {
    return stories.values().stream().filter(s -> s.poison).mapToLong(s -> s.attempts).sum();
  }

  private void turn() {
    while (!answers.isEmpty() && answers.peek().at <= now) {
      Answer answer = answers.remove();
      tell(answer.slot.delivery, "answered " + answer.outcome.getClass().getSimpleName());
      engine.answer(answer.slot, answer.began, answer.outcome, now);
    }
    engine.timeouts(now);
    engine.setAside(now, SLOW_AFTER);
    for (List<TrackedDelivery> round = engine.dispatch(now);
        !round.isEmpty();
        round = engine.dispatch(now)) {
      round.forEach(this::hand);
    }
    if (random.nextInt(4) == 0 || engine.inFlight() == 0) {
      settle();
    }
    claim();
    claimParked();
  }

  private void hand(TrackedDelivery slot) {
    checkOrder(slot);
    tell(slot.delivery, "handed");
    handed.put(slot.delivery.message().id(), slot);
    long reached = now + Duration.ofMillis(1 + random.nextInt(20)).toNanos();
    Answer answer = reached(slot, reached);
    if (answer != null) {
      answers.add(answer);
    }
  }

  private void checkOrder(TrackedDelivery slot) {
    Key key = slot.key();
    for (Story story : living.values()) {
      boolean before = story.seq < slot.delivery.seq();
      if (key != null && before && key.equals(story.message.key()) && !isDone(story)) {
        throw new AssertionError(slot.delivery.seq() + " overtakes " + story.seq + " of its key");
      }
    }
  }

  private boolean isDone(Story story) {
    TrackedDelivery slot = handed.get(story.message.id());
    TrackedDelivery last = slot == null || slot.aside == null ? slot : slot.aside;
    return last != null && (last.sent || last.move instanceof Move.Die);
  }

  private Answer reached(TrackedDelivery slot, long at) {
    Phase phase = phases.floorEntry(now).getValue();
    boolean poison = stories.get(slot.delivery.message().id()).poison;
    long back = at + Duration.ofMillis(1 + random.nextInt(20)).toNanos();
    long later = at + Duration.ofMillis(random.nextInt(1_500)).toNanos();
    boolean fails = poison || (phase == Phase.SOME_FAIL && random.nextDouble() < failing);
    return switch (phase) {
      case GOOD, SOME_FAIL -> {
        // Now and then one takes long although all is well.
        long when = random.nextInt(50) == 0 ? later : back;
        yield new Answer(when, now, slot, fails ? failed() : Outcome.SENT);
      }
      case SLOW -> new Answer(later, now, slot, fails ? failed() : Outcome.SENT);
      case DOWN -> new Answer(back, now, slot, failed());
      case UNREACHABLE -> new Answer(back, now, slot, Outcome.unavailable(BUSY));
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
    for (List<TrackedBatch> flights :
        List.of(List.copyOf(engine.flights()), engine.parkedFlights())) {
      for (TrackedBatch flight : flights) {
        for (TrackedDelivery slot : flight.slots) {
          if (slot.state == TrackedDelivery.State.DECIDED && !slot.settled && slot.sent) {
            over(stories.get(slot.delivery.message().id()));
          }
        }
      }
    }
    settling.done("d", event -> {});
  }

  private void apply(Move move) {
    tell(move.delivery(), EngineFixture.text(move));
    Story story = stories.get(move.delivery().message().id());
    if (move instanceof Move.Park park) {
      story.parked = true;
      story.turn = park.waiting() == Waiting.TURN;
      story.dueAt = now + park.delay().toNanos();
      boolean counts = park.attempts() > story.attempts;
      boolean suspect = park.waiting() == Waiting.RETRY && !counts;
      story.suspectedAt = counts ? -1 : suspect && story.suspectedAt < 0 ? now : story.suspectedAt;
      story.attempts = park.attempts();
    } else if (move instanceof Move.Die die) {
      story.attempts = die.attempts();
      story.dead = true;
      over(story);
    }
  }

  private void over(Story story) {
    living.remove(story.seq);
  }

  private void claim() {
    boolean waits = engine.breaker().isOpen() && engine.hasProbe();
    if (log.isEmpty() || waits || engine.flights().size() >= PAGES) {
      return;
    }
    List<Story> next = log.subList(0, Math.min(page, log.size()));
    Set<Key> blocked = new HashSet<>();
    living.values().stream()
        .filter(story -> story.parked && story.message.key() != null)
        .forEach(story -> blocked.add(story.message.key()));
    List<Delivery> deliveries = next.stream().map(story -> delivery(story, false)).toList();
    long start = deliveries.get(0).seq() - 1;
    long end = deliveries.get(deliveries.size() - 1).seq();
    engine.take(new EngineFixture.TestBatch(deliveries, blocked, start, end), now);
    next.clear();
  }

  private void claimParked() {
    boolean starved = !engine.hasReady() && engine.inFlight() == 0;
    if (engine.parkedFlights().contains(parkedFlight) || (engine.breaker().isOpen() && !starved)) {
      return;
    }
    Set<Key> heads = new HashSet<>();
    List<Delivery> due = new ArrayList<>();
    for (Story story : living.values()) {
      Key key = story.message.key();
      boolean head = story.parked && (key == null || heads.add(key));
      if (head && (story.turn || story.dueAt <= now)) {
        due.add(delivery(story, true));
      }
    }
    if (!due.isEmpty()) {
      parkedFlight = engine.takeParked(due);
    }
  }

  private Delivery delivery(Story story, boolean parked) {
    Duration suspectFor =
        story.suspectedAt < 0 ? Duration.ZERO : Duration.ofNanos(now - story.suspectedAt);
    return new Delivery(
        story.message,
        story.seq,
        EngineFixture.NOW,
        story.attempts,
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
