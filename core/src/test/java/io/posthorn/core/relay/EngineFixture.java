package io.posthorn.core.relay;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.PayloadCipher;
import io.posthorn.core.observe.Event;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.Move;
import io.posthorn.core.store.Settlement;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;

/** Plays events to an engine, one after the other, at times that the test sets. */
final class EngineFixture {
  static final Reason DOWN = Reason.of("DOWN", "connection refused");
  static final Reason BROKEN = Reason.of("HTTP_500", "500");
  static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  final LaneEngine engine;
  final List<Event> events = new ArrayList<>();
  final List<String> started = new ArrayList<>();
  long now = 1_000;
  private long seq;

  EngineFixture() {
    this(builder -> builder);
  }

  EngineFixture(UnaryOperator<Destination.Builder> choices) {
    this(1_000, choices);
  }

  EngineFixture(int mostUnsettled, UnaryOperator<Destination.Builder> choices) {
    Destination destination =
        choices.apply(Destination.named("d", noConnector()).types("T")).build();
    this.engine =
        new LaneEngine(
            destination,
            PayloadCipher.NONE,
            events::add,
            new Random(1),
            LaneShare.alone(destination, now),
            mostUnsettled,
            now);
  }

  /** Serves every type that does not start with "Unknown"; sends nothing. */
  static Connector noConnector() {
    return new NoConnector();
  }

  private static final class NoConnector implements Connector {
    @Override
    public void send(List<Message> messages, Answers answers) {
      throw new IllegalStateException("the test answers instead of the connector");
    }

    @Override
    public boolean serves(String type) {
      return !type.startsWith("Unknown");
    }

    @Override
    public void close() {}
  }

  /** A batch of messages, each named {@code key+number}, or {@code -number} without a key. */
  List<Delivery> batch(String... names) {
    return batch(Set.of(), names);
  }

  List<Delivery> batch(Set<Key> blocked, String... names) {
    List<Delivery> deliveries = new ArrayList<>();
    for (String name : names) {
      deliveries.add(delivery("T", name, null));
    }
    take(blocked, deliveries);
    return deliveries;
  }

  void take(Set<Key> blocked, List<Delivery> deliveries) {
    long start = deliveries.get(0).seq() - 1;
    engine.take(
        new TestBatch(deliveries, blocked, start, deliveries.get(deliveries.size() - 1).seq()),
        now);
  }

  Delivery delivery(String type, String name, Instant notBefore) {
    return delivery(type, name, notBefore, 0, Duration.ZERO, false);
  }

  Delivery parked(String name, int attempts, Duration failingFor) {
    return delivery("T", name, null, attempts, failingFor, true);
  }

  /** A parked message that has failed for this long without being blamed. */
  Delivery suspect(String name, Duration suspectFor) {
    return parked(name, false, suspectFor);
  }

  /** A parked message that a person sends once. */
  Delivery once(String name) {
    return parked(name, true, Duration.ZERO);
  }

  private Delivery parked(String name, boolean once, Duration suspectFor) {
    Delivery d = parked(name, 0, Duration.ZERO);
    return new Delivery(
        d.message(),
        d.seq(),
        d.recordedAt(),
        0,
        Duration.ZERO,
        true,
        null,
        0,
        once,
        Duration.ZERO,
        suspectFor,
        null);
  }

  private Delivery delivery(
      String type,
      String name,
      Instant notBefore,
      int attempts,
      Duration failingFor,
      boolean parked) {
    Message.Builder message = Message.of(type).json(name.getBytes(StandardCharsets.UTF_8));
    if (!name.startsWith("-")) {
      message.key("k", name.substring(0, 1));
    }
    if (notBefore != null) {
      message.notBefore(notBefore);
    }
    return new Delivery(message.build(), ++seq, NOW, attempts, failingFor, parked, null);
  }

  static Key key(String id) {
    return Key.of("k", id);
  }

  /** The names of the messages that the engine sends now. */
  List<String> dispatch() {
    List<String> names = new ArrayList<>();
    for (TrackedDelivery tracked : engine.dispatch(now)) {
      inFlight.add(tracked);
      names.add(name(tracked.delivery));
    }
    started.addAll(names);
    return names;
  }

  private final List<TrackedDelivery> inFlight = new ArrayList<>();

  void answer(String name, Outcome outcome) {
    TrackedDelivery tracked =
        inFlight.stream().filter(sent -> name(sent.delivery).equals(name)).findFirst().get();
    inFlight.remove(tracked);
    engine.answer(tracked, outcome, now);
  }

  /** Answers a message again that was answered before. */
  void answerAgain(TrackedDelivery tracked, Outcome outcome) {
    engine.answer(tracked, outcome, now);
  }

  void sent(String... names) {
    for (String name : names) {
      answer(name, Outcome.SENT);
    }
  }

  /** Lets a message fail and another succeed after it, so that the first is at fault. */
  void failAlone(String name, Outcome outcome) {
    batch("z1");
    answer(name, outcome);
    dispatch();
    sent("z1");
  }

  void pass(Duration time) {
    now += time.toNanos();
  }

  static String name(Delivery delivery) {
    return new String(delivery.message().payload(), StandardCharsets.UTF_8);
  }

  /** The settlement of everything that is decided, without storing it. */
  Settlement settlement() {
    return new Settling(engine)
        .settlement(
            new Lane("d", 0, UUID.randomUUID()), UUID.randomUUID(), UUID.randomUUID(), null);
  }

  /** Settles everything that is decided. */
  Settlement settle() {
    Settling settling = new Settling(engine);
    Settlement settlement =
        settling.settlement(
            new Lane("d", 0, UUID.randomUUID()), UUID.randomUUID(), UUID.randomUUID(), null);
    settling.written("d", events::add);
    return settlement;
  }

  /** The moves that are decided and not settled, for example {@code "a1 RETRY 1"}. */
  List<String> moves() {
    return settlement().moves().stream().map(EngineFixture::text).toList();
  }

  static String text(Move move) {
    String name = name(move.delivery());
    if (move instanceof Move.Park park) {
      return name + " " + park.waiting() + " " + park.attempts();
    }
    if (move instanceof Move.Die die) {
      return name + " DEAD " + die.code() + " " + die.attempts();
    }
    return name + " SENT";
  }

  /** A page of the log. */
  record TestBatch(List<Delivery> deliveries, Set<Key> blocked, long start, long end)
      implements Batch {
    @Override
    public Lane lane() {
      return new Lane("d", 0, new UUID(0, 0));
    }

    @Override
    public Instant claimedAt() {
      return NOW;
    }

    @Override
    public UUID progress() {
      return new UUID(0, 0);
    }

    @Override
    public boolean more() {
      return false;
    }
  }
}
