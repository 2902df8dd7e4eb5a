package io.posthorn.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.observe.Event;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.core.store.Store;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.testkit.Oracle;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** A program that writes, a relay that delivers with this connector, and an oracle over both. */
final class Load implements AutoCloseable {
  /** A type that the oracle does not use, for messages that must not arrive. */
  static final String POISON = "Poison";

  private static final List<String> KEYS = IntStream.range(0, 50).mapToObj(i -> "k" + i).toList();

  private final Queue<Event> events = new ConcurrentLinkedQueue<>();
  private final Random random = new Random(5);
  private final HikariDataSource dataSource = Database.fresh();
  private final Oracle oracle = Oracle.in(dataSource).keys(KEYS);
  private final Outbox outbox;
  private final KafkaConnector connector;
  private final Relay relay;

  Load(KafkaConfig config) {
    connector = new KafkaConnector(config);
    Store store = PostgresqlStore.on(dataSource);
    Duration sendTimeout = config.timeout().plusSeconds(1);
    outbox = Outbox.on(store, MessageTypes.named(Oracle.TYPE, POISON)).build();
    relay =
        Relay.on(store, "tests", "test")
            .config(
                RelayConfig.builder()
                    .lease(sendTimeout.plusSeconds(5).multipliedBy(2))
                    .poll(Duration.ofMillis(2), Duration.ofMillis(50))
                    .build())
            .observer(events::add)
            .wokenBy(outbox)
            .destination(
                Destination.named("shop", connector).allTypes().sendTimeout(sendTimeout).build())
            .build()
            .start();
  }

  static String anyKey(Random random) {
    return KEYS.get(random.nextInt(KEYS.size()));
  }

  /** Writes this many transactions of twenty messages, each with one of these in the middle. */
  void write(int transactions, Supplier<List<Message>> poison) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      for (int i = 0; i < transactions; i++) {
        oracle.produce(connection, outbox, keys());
        outbox.add(connection, poison.get());
        oracle.produce(connection, outbox, keys());
        connection.commit();
      }
    }
  }

  void write(int transactions) throws SQLException {
    write(transactions, List::of);
  }

  private List<String> keys() {
    return IntStream.range(0, 10).mapToObj(i -> anyKey(random)).toList();
  }

  /** Waits until the breaker has opened for the n-th time. */
  void awaitBreaker(int n) {
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> events.stream().filter(Event.BreakerOpened.class::isInstance).count() >= n);
  }

  List<Event.Dead> dead() {
    return events.stream()
        .filter(Event.Dead.class::isInstance)
        .map(Event.Dead.class::cast)
        .toList();
  }

  boolean failedWith(String code) {
    return events.stream()
        .anyMatch(
            event -> event instanceof Event.CallFailed call && call.reason().code().equals(code));
  }

  void assertDelivered(Reader reader) {
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> reader.messages().stream().distinct().count() >= oracle.committed());
    Oracle judge = Oracle.in(dataSource);
    reader.messages().forEach(judge::observe);
    judge.assertClean();
  }

  void assertNobodyBlamed() {
    assertThat(dead()).isEmpty();
    assertThat(events)
        .noneMatch(event -> event instanceof Event.Parked parked && parked.attempts() > 0);
  }

  @Override
  public void close() {
    relay.close();
    connector.close();
    dataSource.close();
  }
}
