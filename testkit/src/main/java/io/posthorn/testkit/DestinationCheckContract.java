package io.posthorn.testkit;

import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.observe.Event;
import io.posthorn.core.operate.steering.DestinationCheck;
import io.posthorn.core.operate.steering.Steering;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A relay checks whether its destinations can be sent to, and reports what it finds. */
public abstract class DestinationCheckContract extends RelayTopic {
  private static final Finding NO_ADDRESS =
      Finding.problem(Reason.of(Reason.NO_ADDRESS, "topic 'orders' does not exist"));
  private static final Finding LIMIT = Finding.value("maxMessageBytes", "1048588");

  private final FakeConnector shop = FakeConnector.acking();

  private Steering steering() {
    return Steering.on(db().operator());
  }

  private List<Finding> found() {
    return steering().checks().stream()
        .filter(check -> check.destination().equals(SHOP))
        .map(DestinationCheck::findings)
        .findFirst()
        .orElse(List.of());
  }

  @Test
  void findings_at_the_start_of_a_relay_are_stored_and_reported() {
    shop.finding(() -> List.of(NO_ADDRESS, LIMIT));
    start(relay -> relay.name("north"), to(SHOP, shop));
    eventually(() -> assertThat(found()).containsExactly(NO_ADDRESS, LIMIT));
    DestinationCheck check = steering().checks().get(0);
    assertThat(check.relay()).isEqualTo("north");
    assertThat(check.problems()).containsExactly(NO_ADDRESS);
    assertThat(events).contains(new Event.Checked(SHOP, List.of(NO_ADDRESS, LIMIT)));
  }

  @Test
  void a_check_that_finds_problems_or_hangs_or_fails_stops_no_delivery() {
    CountDownLatch hangs = new CountDownLatch(1);
    try {
      shop.finding(
          () -> {
            try {
              hangs.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            throw new IllegalStateException("cannot look");
          });
      start(to(SHOP, shop));
      commit(message("1"));
      eventually(shop, got -> assertThat(got).containsExactly("1"));
    } finally {
      hangs.countDown();
    }
    eventually(() -> assertThat(found()).anyMatch(Finding::problem));
    commit(message("2"));
    eventually(shop, got -> assertThat(got).containsExactly("1", "2"));
  }

  @Test
  void a_person_can_ask_a_relay_to_check_again() {
    AtomicBoolean fixed = new AtomicBoolean();
    shop.finding(() -> List.of(fixed.get() ? LIMIT : NO_ADDRESS));
    start(to(SHOP, shop));
    eventually(() -> assertThat(found()).containsExactly(NO_ADDRESS));
    fixed.set(true);
    steering().lookAgain(SHOP);
    eventually(() -> assertThat(found()).containsExactly(LIMIT));
  }

  @Test
  void a_destination_is_checked_each_time_it_stops_answering_and_answers_again() {
    AtomicInteger checks = new AtomicInteger();
    AtomicBoolean down = new AtomicBoolean();
    shop.finding(
        () -> {
          checks.incrementAndGet();
          return List.of(down.get() ? NO_ADDRESS : LIMIT);
        });
    start(to(SHOP, shop));
    eventually(() -> assertThat(found()).containsExactly(LIMIT));
    down.set(true);
    shop.outcome(
        m -> down.get() ? Outcome.unavailable(Reason.of("DOWN", "refused")) : Outcome.SENT);
    commit(message("1"));
    eventually(() -> assertThat(found()).containsExactly(NO_ADDRESS));
    down.set(false);
    eventually(() -> assertThat(found()).containsExactly(LIMIT));
    assertThat(checks.get()).as("not all the time").isLessThan(10);
  }

  @Test
  void a_relay_closes_only_the_connectors_it_was_given() {
    FakeConnector given = FakeConnector.acking();
    start(to(SHOP, shop), to("given", given).closesConnector()).close();
    assertThat(given.isClosed()).isTrue();
    assertThat(shop.isClosed()).isFalse();
  }
}
