package io.posthorn.testkit;

import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.message.Message;
import io.posthorn.core.observe.Event;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.core.relay.RetryPolicy;
import io.posthorn.core.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowingConsumer;
import org.junit.jupiter.api.AfterEach;

/** One topic of what a relay promises on every store: relays that really run, with short times. */
public abstract class RelayTopic extends Contract {
  static final String ENVIRONMENT = "test";

  static final RelayConfig CONFIG =
      RelayConfig.builder()
          .lease(Duration.ofSeconds(20))
          .settleTimeout(Duration.ofSeconds(5))
          .poll(Duration.ofMillis(2), Duration.ofMillis(50))
          .slowAfter(Duration.ofMillis(100))
          .build();

  static final RetryPolicy QUICK =
      RetryPolicy.DEFAULT.backoff(Duration.ofMillis(20), Duration.ofMillis(100)).attempts(3);

  final Queue<Event> events = new ConcurrentLinkedQueue<>();
  private final List<Relay> relays = new ArrayList<>();

  @AfterEach
  void stopRelays() {
    relays.forEach(Relay::close);
  }

  /** A destination that wants everything, with quick retries. */
  static Destination.Builder to(String name, Connector connector) {
    return quick(name, connector).allTypes();
  }

  /** A destination that wants these types, with quick retries. */
  static Destination.Builder only(String name, Connector connector, String... types) {
    return quick(name, connector).types(types);
  }

  private static Destination.Builder quick(String name, Connector connector) {
    return Destination.named(name, connector).retry(QUICK).sendTimeout(Duration.ofSeconds(2));
  }

  final Relay start(Destination.Builder... destinations) {
    return start(relay -> relay, destinations);
  }

  final Relay start(UnaryOperator<Relay.Builder> choices, Destination.Builder... destinations) {
    return start(db().anotherStore(), choices, destinations);
  }

  final Relay start(
      Store store, UnaryOperator<Relay.Builder> choices, Destination.Builder... destinations) {
    Relay.Builder builder =
        Relay.on(store, APPLICATION, ENVIRONMENT).config(CONFIG).observer(events::add);
    for (Destination.Builder destination : destinations) {
      builder.destination(destination.build());
    }
    Relay relay = choices.apply(builder).build().start();
    relays.add(relay);
    return relay;
  }

  static List<String> contents(FakeConnector connector) {
    return connector.received().stream().map(TestMessages::content).toList();
  }

  /** Waits until the assertion holds of what the connector got. */
  static void eventually(FakeConnector connector, ThrowingConsumer<List<String>> assertion) {
    await().untilAsserted(() -> assertion.accept(contents(connector)));
  }

  static void eventually(org.awaitility.core.ThrowingRunnable assertion) {
    await().untilAsserted(assertion);
  }

  static Message[] many(int count, int keys) {
    Message[] messages = new Message[count];
    for (int i = 0; i < count; i++) {
      messages[i] = TestMessages.keyed("k" + i % keys, "k" + i % keys + ":" + i / keys);
    }
    return messages;
  }
}
