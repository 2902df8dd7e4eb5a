package io.posthorn.postgresql.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.store.Lane;
import io.posthorn.core.store.RelayIdentity;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.TestServer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A destination that waits for messages without a route gets them, whatever flags remain. */
class HandOverTest {
  private final PostgresqlDatabase database = TestServer.newest().databaseOfItsOwn();
  private final PostgresqlStore store = PostgresqlStore.on(database.dataSource());

  @AfterEach
  void discard() {
    database.discard();
  }

  @Test
  void a_hand_over_that_was_remembered_and_not_kept_is_made_again() {
    RelayIdentity relay = new RelayIdentity(UUID.randomUUID(), "a", "shop");
    ServedDestination shop = new ServedDestination("shop", Set.of("T"));
    store.register("shop", List.of(shop));
    store.join(relay, List.of(shop), Duration.ofMinutes(1));
    Lane unrouted = store.take(relay, RelayStore.UNROUTED, 0).orElseThrow();
    while (store.tendUnrouted(unrouted, Duration.ofMinutes(10))) {
      // Repeats until nothing is left to do.
    }
    // The state on a server that lost its last transactions.
    database.execute(
        "UPDATE posthorn_destination SET waits_for_unrouted = true WHERE name = 'shop'");
    store.tendUnrouted(unrouted, Duration.ofMinutes(10));
    assertThat(
            database.query(
                "SELECT waits_for_unrouted FROM posthorn_destination WHERE name = 'shop'",
                row -> row.getBoolean(1)))
        .containsExactly(false);
  }
}
