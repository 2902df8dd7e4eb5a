package io.posthorn.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.observe.Event;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.testkit.Oracle;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;

/** A program that writes and a relay that delivers, while a test breaks things. */
final class Load implements AutoCloseable {
  private static final List<String> KEYS = IntStream.range(0, 100).mapToObj(i -> "k" + i).toList();

  private final RabbitMqFixture rabbit;
  private final Connector connector;
  private final Oracle oracle;
  private final Outbox outbox;
  private final Relay relay;
  private final Random random = new Random(5);
  private final Queue<Event> events = new ConcurrentLinkedQueue<>();

  Load(RabbitMqFixture rabbit) {
    this.rabbit = rabbit;
    this.connector = rabbit.connector();
    this.oracle = Oracle.in(rabbit.dataSource()).keys(KEYS);
    this.outbox = Outbox.on(rabbit.store(), Oracle.TYPES).build();
    this.relay =
        Relay.on(rabbit.store(), "tests", "test")
            .config(
                RelayConfig.builder()
                    .settleTimeout(Duration.ofSeconds(5))
                    .lease(Duration.ofSeconds(20))
                    .poll(Duration.ofMillis(2), Duration.ofMillis(50))
                    .build())
            .observer(events::add)
            .wokenBy(outbox)
            .destination(
                Destination.named("shop", connector)
                    .allTypes()
                    .sendTimeout(rabbit.sendTimeout())
                    .build())
            .build()
            .start();
  }

  /** Writes 200 messages in 10 transactions. */
  void write() throws SQLException {
    try (Connection connection = rabbit.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      for (int i = 0; i < 10; i++) {
        List<String> keys = random.ints(20, 0, KEYS.size()).mapToObj(KEYS::get).toList();
        oracle.produce(connection, outbox, keys);
        connection.commit();
      }
    }
  }

  void awaitBreaker(String reason) {
    await()
        .atMost(Duration.ofSeconds(20))
        .until(
            () ->
                events.stream()
                    .anyMatch(
                        event ->
                            event instanceof Event.BreakerOpened opened
                                && opened.reason().code().equals(reason)));
  }

  void assertDelivered() {
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> rabbit.arrived().stream().distinct().count() >= oracle.committed());
    Oracle judge = Oracle.in(rabbit.dataSource());
    rabbit.arrived().forEach(judge::observe);
    judge.assertClean();
    assertThat(events).noneMatch(event -> event instanceof Event.Dead);
  }

  void assertNoAttempts() {
    assertThat(events)
        .noneMatch(event -> event instanceof Event.Parked parked && parked.attempts() > 0);
  }

  @Override
  public void close() {
    relay.close();
    connector.close();
  }
}
