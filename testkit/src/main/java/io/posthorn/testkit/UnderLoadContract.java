package io.posthorn.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.observe.Event;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.relay.RelayConfig;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A connector in a relay, with a program that goes on writing while the server breaks and recovers.
 * Afterwards the oracle must be clean, and no message may have been blamed: no dead letters, no
 * attempts.
 */
public abstract class UnderLoadContract extends ConnectorTopic {
  private static final List<String> KEYS = IntStream.range(0, 100).mapToObj(i -> "k" + i).toList();

  private final Queue<Event> events = new ConcurrentLinkedQueue<>();
  private final Random random = new Random(11);
  private Oracle oracle;
  private Outbox outbox;
  private Relay relay;

  @SuppressWarnings("NullAway.Init") // start() sets the fields
  protected UnderLoadContract() {}

  @AfterEach
  void stopRelay() {
    if (relay != null) {
      relay.close();
    }
  }

  @Test
  void each_key_arrives_in_order_and_completely() throws SQLException {
    start();
    write(40, 100);
    assertDelivered();
    assertNobodyBlamed();
  }

  @Test
  void a_server_that_goes_down_and_comes_back_loses_and_reorders_nothing() throws SQLException {
    needs(ConnectorFixture.Ability.STOP);
    start();
    write(10, 20);
    server().stop();
    write(20, 20);
    awaitBreaker();
    server().start();
    write(10, 20);
    assertDelivered();
    assertNobodyBlamed();
  }

  @Test
  void a_server_that_freezes_for_a_while_loses_and_reorders_nothing() throws SQLException {
    needs(ConnectorFixture.Ability.FREEZE);
    start();
    write(10, 20);
    awaitSettled();
    server().freeze();
    // One transaction, which a claim has as a whole. A few messages that fail by themselves are
    // blamed, because nothing else tells whose fault it is.
    write(1, 400);
    awaitBreaker();
    server().thaw();
    write(10, 20);
    assertDelivered();
    assertNobodyBlamed();
  }

  @Test
  void an_address_that_is_missing_for_a_while_loses_and_reorders_nothing() throws SQLException {
    needs(ConnectorFixture.Ability.LACK_ADDRESS);
    start();
    write(10, 20);
    assertDelivered();
    server().removeAddress();
    write(20, 20);
    awaitBreaker();
    server().restoreAddress();
    write(10, 20);
    assertDelivered();
    assertNobodyBlamed();
  }

  @Test
  void connections_that_are_cut_repeatedly_lose_and_reorder_nothing() throws SQLException {
    needs(ConnectorFixture.Ability.CUT);
    start();
    for (int i = 0; i < 5; i++) {
      write(10, 20);
      server().cut();
    }
    write(10, 20);
    assertDelivered();
    assertThat(events).noneMatch(event -> event instanceof Event.Dead);
  }

  @Test
  void messages_that_fail_at_random_delay_their_key_and_reorder_nothing() throws SQLException {
    needs(ConnectorFixture.Ability.FAIL_SOME);
    start();
    server().failSome(true);
    write(20, 50);
    await().until(() -> events.stream().anyMatch(event -> event instanceof Event.Parked));
    server().failSome(false);
    write(10, 20);
    assertDelivered();
    assertThat(events).noneMatch(event -> event instanceof Event.Dead);
  }

  private void start() {
    oracle = Oracle.in(server().dataSource()).keys(KEYS);
    outbox = Outbox.on(server().store(), Oracle.TYPES).build();
    RelayConfig config =
        RelayConfig.builder()
            .settleTimeout(Duration.ofSeconds(5))
            .lease(server().sendTimeout().plusSeconds(5).multipliedBy(2))
            .poll(Duration.ofMillis(2), Duration.ofMillis(50))
            .build();
    relay =
        Relay.on(server().store(), "tests", "test")
            .config(config)
            .observer(events::add)
            .wokenBy(outbox)
            .destination(
                Destination.named("shop", connect())
                    .allTypes()
                    .sendTimeout(server().sendTimeout())
                    .build())
            .build()
            .start();
  }

  /** Commits the transactions with as many messages each; several of them have the same key. */
  private void write(int transactions, int messages) throws SQLException {
    try (Connection connection = server().dataSource().getConnection()) {
      connection.setAutoCommit(false);
      for (int i = 0; i < transactions; i++) {
        List<String> keys = random.ints(messages, 0, KEYS.size()).mapToObj(KEYS::get).toList();
        oracle.produce(connection, outbox, keys);
        connection.commit();
      }
    }
  }

  private void awaitBreaker() {
    await()
        .atMost(server().sendTimeout().multipliedBy(3).plusSeconds(10))
        .until(() -> events.stream().anyMatch(event -> event instanceof Event.BreakerOpened));
  }

  private void awaitSettled() {
    await().atMost(RECOVERY).until(() -> settled() >= oracle.committed());
  }

  private long settled() {
    return events.stream()
        .filter(Event.Sent.class::isInstance)
        .mapToLong(event -> ((Event.Sent) event).deliveries().size())
        .sum();
  }

  private void assertDelivered() {
    await()
        .atMost(RECOVERY)
        .until(() -> server().arrived().stream().distinct().count() >= oracle.committed());
    Oracle judge = Oracle.in(server().dataSource());
    server().arrived().forEach(judge::observe);
    judge.assertClean();
  }

  private void assertNobodyBlamed() {
    assertThat(events).noneMatch(event -> event instanceof Event.Dead);
    assertThat(events)
        .noneMatch(event -> event instanceof Event.Parked parked && parked.attempts() > 0);
  }
}
