package io.posthorn.postgresql.route;

import static io.posthorn.postgresql.Poison.GUILTY;
import static io.posthorn.postgresql.Poison.isGuilty;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.RelayIdentity;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.postgresql.Poison;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.Refused;
import io.posthorn.testkit.TestDatabase.Dead;
import io.posthorn.testkit.TestDatabase.Parked;
import io.posthorn.testkit.TestMessages;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One message without a route is refused; the others wait, are handed over and expire as usual. */
class RefusedUnroutedTest {
  private static final Duration GRACE = Duration.ofMinutes(10);
  private static final int OTHERS = Poison.KEYS * Poison.OF_EACH - 1;

  private final Poison poison = new Poison();
  private final PostgresqlStore store = PostgresqlStore.on(poison.database.dataSource());
  private final Map<String, Integer> dead = new HashMap<>();
  private final Lane lane = take();

  private Lane take() {
    RelayIdentity relay = new RelayIdentity(UUID.randomUUID(), "tests", "tests");
    store.join(relay, List.of(), Duration.ofHours(1));
    return store.take(relay, RelayStore.UNROUTED, 0).orElseThrow();
  }

  @AfterEach
  void close() {
    poison.close();
  }

  private void tend() {
    boolean more = true;
    for (int i = 0; more && i < 100; i++) {
      more =
          store.tendUnrouted(lane, GRACE, (type, count) -> dead.merge(type, count, Integer::sum));
    }
    assertThat(more).as("it comes to an end").isFalse();
  }

  private void guiltyIsBuried() {
    List<Dead> letters = poison.database.dead(RelayStore.UNROUTED);
    assertThat(letters).extracting(Dead::messageId).containsExactly(GUILTY);
    assertThat(letters.get(0).reason()).isEqualTo(Reason.STORE_REFUSED);
    assertThat(letters.get(0).content()).isEqualTo(Poison.GUILTY_CONTENT);
  }

  @Test
  void a_message_that_cannot_be_parked_is_a_dead_letter_and_the_others_wait_for_a_route() {
    poison.refusing("INSERT", "posthorn_parked", "22021", isGuilty("NEW")).add();
    tend();
    guiltyIsBuried();
    assertThat(poison.database.parked(RelayStore.UNROUTED)).hasSize(OTHERS);
  }

  @Test
  void a_message_that_cannot_be_handed_over_is_a_dead_letter_and_the_others_arrive() {
    poison
        .refusing(
            "INSERT", "posthorn_parked", "23514", isGuilty("NEW") + " AND NEW.destination = 'shop'")
        .add();
    tend();
    store.register("tests", List.of(new ServedDestination("shop", Set.of(TestMessages.TYPE))));
    tend();
    guiltyIsBuried();
    assertThat(poison.database.parked("shop")).extracting(Parked::id).hasSize(OTHERS);
    assertThat(
            poison.database.query(
                "SELECT waits_for_unrouted FROM posthorn_destination WHERE name = 'shop'",
                row -> row.getBoolean(1)))
        .containsExactly(false);
  }

  @Test
  void a_message_that_cannot_be_buried_is_reported_and_the_others_are_handed_over() {
    poison.refusing("INSERT", "posthorn_dead", "23514", isGuilty("NEW")).add();
    tend();
    poison.database.pass(GRACE.plusSeconds(1));
    Refused.with(ErrorCode.STORE_REFUSED, this::tend);
    poison.add(Poison.message("k9", 0));
    Refused.with(ErrorCode.STORE_REFUSED, this::tend);
    assertThat(poison.database.parked(RelayStore.UNROUTED)).hasSize(OTHERS + 2);
    store.register("tests", List.of(new ServedDestination("shop", Set.of(TestMessages.TYPE))));
    tend();
    assertThat(poison.database.parked("shop")).hasSize(OTHERS + 2);
  }
}
