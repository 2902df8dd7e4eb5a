package io.posthorn.postgresql.lane;

import static io.posthorn.testkit.TestMessages.keyed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.observe.Event;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.restore.Adopt;
import io.posthorn.core.operate.restore.Restore;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.postgresql.TestServer;
import io.posthorn.testkit.FakeConnector;
import io.posthorn.testkit.TestMessages;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A relay finds that one destination's cursor knows transactions that the server has not had. */
class AheadRelayTest {
  private static final RelayConfig QUICK =
      RelayConfig.builder().poll(Duration.ofMillis(2), Duration.ofMillis(50)).build();

  /** The state with everything settled; OPEN is in the middle of a window. */
  private static final String CLOSED = "'900000000:900000000:', NULL, NULL, NULL";

  private static final String OPEN = "s1, '900000000:900000000:', low1, high";

  private final PostgresqlDatabase database = TestServer.newest().databaseOfItsOwn();
  private final TestLanes lanes = new TestLanes(database);
  private final FakeConnector shop = FakeConnector.acking();
  private final FakeConnector office = FakeConnector.acking();
  private final Queue<Event> events = new ConcurrentLinkedQueue<>();
  private final Queue<Long> lostAt = new ConcurrentLinkedQueue<>();

  @AfterEach
  void discard() {
    database.discard();
  }

  @ParameterizedTest
  @ValueSource(strings = {CLOSED, OPEN})
  void it_sends_nothing_there_and_says_why_until_the_database_is_adopted(String ahead) {
    try (Relay relay = start()) {
      lanes.add(keyed("k", "1"));
      await().until(() -> settled("shop") && settled("office"));
      setAhead("shop", ahead);

      lanes.add(keyed("k", "2"));
      lanes.add(keyed("k", "3"));
      await().untilAsserted(() -> assertThat(contents(office)).containsExactly("1", "2", "3"));
      // It checks again, and finds the same.
      await().atMost(Duration.ofSeconds(30)).until(() -> refusals("shop").size() > 1);
      lanes.add(keyed("k", "4"));
      await().untilAsserted(() -> assertThat(contents(office)).hasSize(4));
      assertThat(contents(shop)).containsExactly("1");
      assertThat(refusals("shop")).allMatch(why -> why.contains("--as-sent"));
      assertThat(refusals("office")).isEmpty();
    }

    events.clear();
    Restore.on(lanes.store())
        .adopt("test", Adopt.SEND_UNDELIVERED, new Actor("anna", "a failover"));
    try (Relay relay = start()) {
      lanes.add(keyed("k", "5"));
      await().untilAsserted(() -> assertThat(contents(shop)).endsWith("5"));
      await().untilAsserted(() -> assertThat(contents(office)).endsWith("5"));
    }
    assertThat(contents(shop)).containsExactly("1", "2", "3", "4", "5");
    assertThat(contents(office)).containsExactly("1", "2", "3", "4", "5");
    assertThat(refusals("shop")).isEmpty();
  }

  @Test
  void it_looks_again_less_and_less_often() {
    try (Relay relay = start()) {
      lanes.add(keyed("k", "1"));
      await().until(() -> settled("shop"));
      setAhead("shop", CLOSED);
      await().atMost(Duration.ofSeconds(30)).until(() -> lostAt.size() > 2);
    }
    List<Long> at = List.copyOf(lostAt);
    assertThat(Duration.ofNanos(at.get(2) - at.get(1))).isGreaterThan(Duration.ofSeconds(2));
  }

  private Relay start() {
    return Relay.on(database.store(), "tests", "test")
        .config(QUICK)
        .observer(
            event -> {
              events.add(event);
              if (event instanceof Event.LaneLost) {
                lostAt.add(System.nanoTime());
              }
            })
        .destination(Destination.named("shop", shop).allTypes().build())
        .destination(Destination.named("office", office).allTypes().build())
        .build()
        .start();
  }

  private boolean settled(String destination) {
    return events.stream()
        .anyMatch(event -> event instanceof Event.Sent && event.destination().equals(destination));
  }

  private void setAhead(String destination, String cursor) {
    database.execute(
        """
        SELECT 1 FROM posthorn_lane WHERE destination = '%2$s' FOR UPDATE;
        INSERT INTO posthorn_progress (destination, lane, id, low1, last_seq, s1, s2, low2, high2)
        SELECT destination, lane, gen_random_uuid(), low1, last_seq, %1$s
          FROM posthorn_progress
         WHERE destination = '%2$s'
         ORDER BY n DESC
         LIMIT 1
        """
            .formatted(cursor, destination));
  }

  private List<String> refusals(String destination) {
    return events.stream()
        .filter(event -> event instanceof Event.LaneLost)
        .map(event -> (Event.LaneLost) event)
        .filter(lost -> lost.destination().equals(destination))
        .map(Event.LaneLost::why)
        .filter(why -> why.contains(ErrorCode.CURSOR_AHEAD.text()))
        .toList();
  }

  private static List<String> contents(FakeConnector connector) {
    return connector.received().stream().map(TestMessages::content).toList();
  }
}
