package io.posthorn.postgresql.operate.steering;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.operate.steering.DestinationStatus;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.postgresql.TestServer;
import io.posthorn.testkit.TestLane;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Lanes have breakers and checks of their own: what is well for one hides nothing of another. */
class LaneBreakersTest {
  private final PostgresqlDatabase database = TestServer.newest().database();
  private final TestLanes lanes = new TestLanes(database);
  private final PostgresqlStore store = lanes.store();
  private final List<TestLane> shop = lanes.takeAll("shop", 2);

  @AfterEach
  void close() {
    database.close();
  }

  private void breaker(int lane, String reason) {
    Optional<Reason> open =
        reason.isEmpty() ? Optional.empty() : Optional.of(Reason.of("TIMEOUT", reason));
    store.breaker(shop.get(lane).lane(), open);
  }

  private String shown() {
    return store.destinations().stream()
        .filter(one -> one.name().equals("shop"))
        .findFirst()
        .map(DestinationStatus::breaker)
        .orElse(null);
  }

  private List<String> inView() {
    return database.query(
        "SELECT breaker FROM posthorn_destination_status WHERE destination = 'shop'",
        row -> row.getString(1));
  }

  @Test
  void the_recovery_of_one_does_not_hide_that_another_is_open() {
    breaker(0, "first");
    breaker(1, "second");
    assertThat(shown()).isEqualTo("TIMEOUT: first");
    breaker(0, "");
    assertThat(shown()).isEqualTo("TIMEOUT: second");
    assertThat(inView()).containsExactly("TIMEOUT: second");
    breaker(1, "");
    assertThat(shown()).isNull();
  }

  @Test
  void a_good_check_of_one_does_not_hide_what_is_wrong_for_another() {
    store.checked(shop.get(0).lane(), List.of(Finding.problem(Reason.of("NO_TOPIC", "gone"))));
    store.checked(shop.get(1).lane(), List.of(Finding.value("server", "reached")));
    assertThat(store.checks()).hasSize(1);
    assertThat(store.checks().get(0).findings()).allMatch(Finding::problem);
    store.checked(shop.get(0).lane(), List.of(Finding.value("server", "reached again")));
    assertThat(store.checks().get(0).findings()).noneMatch(Finding::problem);
  }
}
