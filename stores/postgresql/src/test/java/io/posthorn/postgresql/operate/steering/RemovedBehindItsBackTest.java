package io.posthorn.postgresql.operate.steering;

import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.steering.Steering;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.core.store.Start;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.postgresql.TestServer;
import io.posthorn.testkit.FakeConnector;
import io.posthorn.testkit.TestMessages;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A relay was taken for dead and its destination removed while its heartbeat was on its way. */
class RemovedBehindItsBackTest {
  private static final RelayConfig QUICK =
      RelayConfig.builder()
          .lease(Duration.ofSeconds(2))
          .settleTimeout(Duration.ofMillis(500))
          .poll(Duration.ofMillis(2), Duration.ofMillis(50))
          .build();

  private final PostgresqlDatabase database = TestServer.newest().database();
  private final TestLanes lanes = new TestLanes(database);
  private final FakeConnector shop = FakeConnector.acking();

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void it_adds_it_again_and_goes_on_from_there() {
    Destination destination =
        Destination.named("shop", shop)
            .allTypes()
            .startAt(Start.EARLIEST)
            .sendTimeout(Duration.ofMillis(100))
            .build();
    Steering steering = Steering.on(lanes.store());
    try (Relay relay =
        Relay.on(database.store(), "tests", "test")
            .config(QUICK)
            .destination(destination)
            .build()
            .start()) {
      lanes.add(message("1"));
      await().until(() -> shop.received().size() == 1);
      // The relay is alive, but removal does not see it.
      database.execute("UPDATE posthorn_relay_serves SET destination = 'x' || destination");
      steering.remove("shop", new Actor("anna", "a test"));
      database.execute("UPDATE posthorn_relay_serves SET destination = substr(destination, 2)");
      await().until(() -> !steering.routes(null).isEmpty());
      lanes.add(message("2"));
      await().until(() -> shop.received().size() == 2);
    }
    assertThat(shop.received().stream().map(TestMessages::content)).containsExactly("1", "2");
  }
}
