package io.posthorn.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.bus.Bus;
import io.posthorn.core.bus.EventHandler;
import io.posthorn.core.bus.Subscription;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageType;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.message.PayloadReader;
import io.posthorn.core.message.PayloadWriter;
import io.posthorn.core.observe.Event;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.core.store.Store;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** One topic of what a bus promises on every store: buses that really run, with short times. */
public abstract class BusTopic extends Contract {
  /** The consumer of most tests. */
  static final String BOOKS = "books";

  private static final RelayConfig CONFIG =
      RelayConfig.builder().poll(Duration.ofMillis(2), Duration.ofMillis(50)).build();

  /** Something changed, for the n-th time. */
  record Changed(String key, long n) {}

  /** The event that follows from a change. */
  record Noted(String key, long n) {}

  static final MessageTypes TYPES =
      MessageTypes.of(
          MessageType.named("Changed").from(Changed.class, "Thing", Changed::key),
          MessageType.named("Noted").from(Noted.class, "Thing", Noted::key),
          MessageType.named("Other"));

  static final PayloadWriter WRITER =
      event ->
          (event instanceof Changed c
                  ? c.key + ":" + c.n
                  : ((Noted) event).key + ":" + ((Noted) event).n)
              .getBytes(UTF_8);

  static final PayloadReader READER =
      (payload, type) -> {
        String text = new String(payload, UTF_8);
        if (text.equals("null")) {
          return null;
        }
        String key = text.substring(0, text.indexOf(':'));
        long n = Long.parseLong(text.substring(text.indexOf(':') + 1));
        return type == Changed.class ? new Changed(key, n) : new Noted(key, n);
      };

  final MemorySource source = new MemorySource(4, 42);
  final Queue<Event> events = new ConcurrentLinkedQueue<>();
  private final List<Bus> buses = new ArrayList<>();
  private Effects effects;

  @SuppressWarnings("NullAway.Init") // JUnit calls prepare() first
  protected BusTopic() {}

  @BeforeEach
  void prepare() {
    effects = new Effects(db().dataSource());
  }

  @AfterEach
  void stopBuses() {
    buses.forEach(Bus::close);
  }

  final Effects effects() {
    return effects;
  }

  /** A bus that takes its messages from the source. */
  final Bus bus() {
    return bus(db().dataSource(), builder -> builder.source(source));
  }

  /** A bus whose consumers get their messages from the log. */
  final Bus inProcessBus() {
    return bus(db().dataSource(), builder -> builder);
  }

  final Bus bus(DataSource dataSource, UnaryOperator<Bus.Builder> choices) {
    return bus(dataSource, choices, relay -> relay);
  }

  final Bus bus(
      DataSource dataSource,
      UnaryOperator<Bus.Builder> choices,
      UnaryOperator<Relay.Builder> ofRelay) {
    return bus(TYPES, dataSource, choices, ofRelay);
  }

  final Bus bus(
      MessageTypes types,
      DataSource dataSource,
      UnaryOperator<Bus.Builder> choices,
      UnaryOperator<Relay.Builder> ofRelay) {
    Store store = db().anotherStore();
    Bus.Builder builder =
        Bus.on(db().inbox(), dataSource, Outbox.on(store, types).build(), types)
            .payloads(WRITER, READER)
            .observer(events::add)
            .relay(
                ofRelay.apply(
                    Relay.on(store, APPLICATION, RelayTopic.ENVIRONMENT)
                        .config(CONFIG)
                        .observer(events::add)));
    Bus bus = choices.apply(builder).build();
    buses.add(bus);
    return bus;
  }

  /** Subscribes BOOKS to changes, with quick retries. */
  final Subscription books(Bus bus, EventHandler<Changed> handler) {
    return bus.subscribe(BOOKS, Changed.class, handler).retry(RelayTopic.QUICK);
  }

  /** Writes the change down. */
  final EventHandler<Changed> writing() {
    return (changed, handling) -> effects.add(handling.connection(), BOOKS, changed.key, changed.n);
  }

  static Message changed(String key, long n) {
    return TYPES.message(new Changed(key, n), WRITER).build();
  }

  static List<Message> changes(int keys, int each) {
    List<Message> all = new ArrayList<>();
    for (int n = 1; n <= each; n++) {
      for (int key = 0; key < keys; key++) {
        all.add(changed("k" + key, n));
      }
    }
    return all;
  }

  /** The effects that {@link #changes} must have: each once, in the order of its key. */
  static Map<String, List<Long>> effectsOf(int keys, int each) {
    Map<String, List<Long>> expected = new LinkedHashMap<>();
    for (int key = 0; key < keys; key++) {
      List<Long> ns = new ArrayList<>();
      for (long n = 1; n <= each; n++) {
        ns.add(n);
      }
      expected.put("k" + key, ns);
    }
    return expected;
  }

  final void awaitEffects(Map<String, List<Long>> expected) {
    eventually(
        () ->
            assertThat(effects.count(BOOKS))
                .isEqualTo(expected.values().stream().mapToLong(List::size).sum()));
    assertThat(effects.byKey(BOOKS)).isEqualTo(expected);
  }

  final void awaitAcknowledged() {
    eventually(() -> assertThat(source.unacknowledged(BOOKS)).isZero());
  }

  static void eventually(ThrowingRunnable assertion) {
    await().atMost(Duration.ofSeconds(30)).untilAsserted(assertion);
  }

  final void inTransaction(Work work) throws SQLException {
    try (Connection tx = db().dataSource().getConnection()) {
      tx.setAutoCommit(false);
      work.run(tx);
      tx.commit();
      tx.setAutoCommit(true);
    }
  }

  /** What is done in a transaction. */
  interface Work {
    void run(Connection tx) throws SQLException;
  }
}
