package io.posthorn.postgresql.operate.operation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.store.Store;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.TestServer;
import io.posthorn.testkit.Around;
import io.posthorn.testkit.FakeConnector;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A relay whose destination is being rewound waits, without asking all the time. */
class RewoundRelayTest {
  private final PostgresqlDatabase database = TestServer.newest().databaseOfItsOwn();
  private final PostgresqlStore real = PostgresqlStore.on(database.dataSource());
  private final Outbox outbox = Outbox.on(real, MessageTypes.named("Tested")).build();
  private final AtomicInteger claims = new AtomicInteger();
  private final FakeConnector shop = FakeConnector.acking();

  @AfterEach
  void close() {
    database.discard();
  }

  private Store counting() {
    return Around.calls(
        Store.class,
        real,
        (name, call) -> {
          if (name.equals("claim")) {
            claims.incrementAndGet();
          }
          return call.proceed();
        });
  }

  private void add(String content) throws SQLException {
    try (Connection tx = database.dataSource().getConnection()) {
      tx.setAutoCommit(false);
      outbox.add(tx, Message.of("Tested").json(content.getBytes(UTF_8)).build());
      tx.commit();
    }
  }

  @Test
  void it_claims_a_few_times_in_vain_and_goes_on_soon_after_the_end() throws Exception {
    try (Relay relay =
        Relay.on(counting(), "tests", "test")
            .destination(Destination.named("shop", shop).allTypes().build())
            .build()
            .start()) {
      add("before");
      await().until(() -> shop.received().size() == 1);
      database.execute(
          "UPDATE posthorn_destination SET rewinding = gen_random_uuid() WHERE name = 'shop'");
      add("first");
      // A message every few milliseconds for two seconds: each would wake a lane that reads.
      long end = System.nanoTime() + Duration.ofSeconds(2).toNanos();
      int before = claims.get();
      for (int i = 0; System.nanoTime() < end; i++) {
        add("more " + i);
        Thread.sleep(5);
      }
      assertThat(claims.get() - before).isLessThan(10);
      assertThat(shop.received()).hasSize(1);
      database.execute("UPDATE posthorn_destination SET rewinding = NULL WHERE name = 'shop'");
      await().atMost(Duration.ofSeconds(5)).until(() -> shop.received().size() > 2);
    }
  }
}
