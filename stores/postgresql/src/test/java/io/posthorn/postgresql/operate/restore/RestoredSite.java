package io.posthorn.postgresql.operate.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.message.Message;
import io.posthorn.core.observe.Event;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.restore.Adopt;
import io.posthorn.core.operate.restore.Restore;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.postgresql.Jdbc;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.testkit.FakeConnector;
import io.posthorn.testkit.TestMessages;
import io.posthorn.testservers.Waiting;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;

/** A database of an environment, with its writers, its relay, and what the relay has sent. */
final class RestoredSite implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final RelayConfig QUICK =
      RelayConfig.builder().poll(Duration.ofMillis(2), Duration.ofMillis(50)).build();

  private final DataSource dataSource;
  private final String environment;
  private final TestLanes lanes;
  private final FakeConnector connector = FakeConnector.acking();
  private final Set<UUID> settled = ConcurrentHashMap.newKeySet();
  private Relay relay;

  RestoredSite(DataSource dataSource, String environment) {
    this.dataSource = dataSource;
    this.environment = environment;
    this.lanes = new TestLanes(dataSource);
  }

  TestLanes lanes() {
    return lanes;
  }

  void add(Message... messages) {
    lanes.add(messages);
  }

  void start() {
    Relay starting =
        Relay.on(lanes.store(), "tests", environment)
            .config(QUICK)
            .observer(this::note)
            .destination(Destination.named("shop", connector).allTypes().build())
            .build();
    relay = starting.start();
  }

  private void note(Event event) {
    if (event instanceof Event.Sent sent) {
      sent.deliveries().forEach(delivery -> settled.add(delivery.message().id()));
    }
  }

  void stop() {
    if (relay != null) {
      relay.close();
      relay = null;
    }
  }

  /** Adopts the database as if the leases of the original had expired. */
  void adopt(Adopt how) {
    Jdbc.execute(dataSource, "UPDATE posthorn_relay SET expires_at = clock_timestamp()");
    Restore.on(lanes.store()).adopt(environment, how, new Actor("tests", "restored"));
  }

  List<String> sent(String key) {
    return connector.received().stream()
        .filter(message -> Objects.equals(message.key(), TestMessages.key(key)))
        .map(TestMessages::content)
        .toList();
  }

  /**
   * Waits until this many messages were sent, and a little longer, because no more may arrive. Then
   * all of them are settled, so that nothing is sent again later.
   */
  void awaitSent(int messages) {
    Waiting.until(messages + " sent", PATIENCE, () -> connector.received().size() >= messages);
    // This message goes behind any that must not be sent.
    Message last = TestMessages.keyed("last of " + messages, "last");
    add(last);
    Waiting.until("the last one settled", PATIENCE, () -> settled.contains(last.id()));
    assertThat(connector.received()).hasSize(messages + 1);
  }

  long nextTransaction() {
    return Jdbc.number(dataSource, "SELECT pg_current_xact_id()::text::bigint");
  }

  /** Uses up transaction ids until the server has passed this one. */
  void passTransaction(long id) {
    Jdbc.execute(
        dataSource,
        """
        DO $$
        BEGIN
          WHILE pg_current_xact_id() <= '%d'::xid8 LOOP
            COMMIT;
          END LOOP;
        END
        $$
        """
            .formatted(id));
  }

  @Override
  public void close() {
    stop();
  }
}
