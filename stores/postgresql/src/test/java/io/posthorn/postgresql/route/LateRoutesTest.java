package io.posthorn.postgresql.route;

import static io.posthorn.testkit.TestMessages.typed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.operation.Operations;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.postgresql.TestServer;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.testkit.FakeConnector;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a route that is added later has missed. */
class LateRoutesTest {
  private final PostgresqlDatabase database = TestServer.newest().database();
  private final TestLanes lanes = new TestLanes(database);
  private final FakeConnector billing = FakeConnector.acking();

  @AfterEach
  void close() {
    database.close();
  }

  private Relay relay(FakeConnector connector, String type) {
    return Relay.on(database.store(), "tests", "test")
        .destination(Destination.named("shop", connector).types(type).build())
        .destination(Destination.named("billing", billing).types("OrderPlaced").build())
        .build()
        .start();
  }

  @Test
  void a_corrected_type_offers_the_rewind_that_sends_what_was_missed() {
    FakeConnector shop = FakeConnector.acking();
    try (Relay misspelt = relay(shop, "OrderPlcaed")) {
      await().until(() -> database.operator().routes(null).size() == 2);
      lanes.add(typed("OrderPlaced", "1"));
      await().until(() -> billing.received().size() == 1);
    }
    List<String> offers =
        LateRoutes.offers(
            new Database(database.dataSource(), database.names()),
            List.of(new ServedDestination("shop", Set.of("OrderPlaced", "Other"))));
    assertThat(offers)
        .singleElement()
        .asString()
        .contains("'OrderPlaced'", "At least 1 earlier ones");
    Matcher command =
        Pattern.compile("posthorn destinations rewind shop --to (\\S+) ").matcher(offers.get(0));
    assertThat(command.find()).isTrue();

    try (Relay corrected = relay(shop, "OrderPlaced")) {
      await().until(() -> database.operator().routes("shop").size() == 2);
      lanes.add(typed("OrderPlaced", "2"));
      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(() -> assertThat(payloads(shop)).containsExactly("2"));
      Operations.on(database.operator())
          .start(Plan.rewind("shop", Instant.parse(command.group(1))), new Actor("test", "a typo"));
      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(() -> assertThat(payloads(shop)).contains("1"));
    }
  }

  private static List<String> payloads(FakeConnector shop) {
    return shop.received().stream()
        .map(message -> new String(message.payload(), StandardCharsets.UTF_8))
        .toList();
  }
}
