package io.posthorn.testkit;

import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageState;
import io.posthorn.core.operate.steering.Steering;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.store.Store;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** The database refuses something for a while. */
public abstract class RefusingStoreContract extends RelayTopic {
  private static final Outcome BROKEN = Outcome.failed(Reason.of("HTTP_500", "try later"));

  private final FakeConnector shop = FakeConnector.acking();
  private final List<Long> refusals = new CopyOnWriteArrayList<>();

  /** Refuses the first calls of this name. */
  private Store refusing(String refused, int times) {
    return refusing(refused, times, ErrorCode.STORE_FAILED);
  }

  private Store refusing(String refused, int times, ErrorCode code) {
    return Around.calls(
        Store.class,
        db().anotherStore(),
        (name, call) -> {
          if (name.equals(refused) && refusals.size() < times) {
            refusals.add(System.nanoTime());
            throw new PosthornException(code, "the disk is full");
          }
          return call.proceed();
        });
  }

  @Test
  void a_refused_settle_is_retried_and_nothing_is_sent_twice() {
    start(refusing("settle", 3), relay -> relay, to(SHOP, shop));
    commit(keyed("a", "a1"), keyed("a", "a2"));
    eventually(shop, got -> assertThat(got).containsExactly("a1", "a2"));
    eventually(() -> assertThat(refusals).hasSize(3));
    commit(keyed("a", "a3"));
    eventually(shop, got -> assertThat(got).containsExactly("a1", "a2", "a3"));
  }

  @Test
  void a_failing_read_of_parked_messages_is_repeated_with_pauses_and_delays_no_other() {
    countsWhatOneLaneDoes();
    shop.outcome(
        m -> refusals.isEmpty() && TestMessages.content(m).equals("a1") ? BROKEN : Outcome.SENT);
    start(
        refusing("claimParked", 3),
        relay -> relay,
        to(SHOP, shop).retry(QUICK.backoff(Duration.ofMillis(1), Duration.ofMillis(1))));
    commit(keyed("a", "a1"), message("b1"));
    eventually(() -> assertThat(refusals).isNotEmpty());
    commit(message("b2"));
    eventually(shop, got -> assertThat(got).contains("b2"));
    eventually(shop, got -> assertThat(got).endsWith("a1").hasSize(4));
    assertThat(refusals).hasSize(3);
    for (int i = 1; i < refusals.size(); i++) {
      assertThat(Duration.ofNanos(refusals.get(i) - refusals.get(i - 1)))
          .isGreaterThanOrEqualTo(Duration.ofSeconds(1));
    }
  }

  @Test
  void
      a_retry_of_messages_that_wait_for_code_which_always_fails_keeps_nothing_from_being_settled() {
    start(refusing("retryWaitingForCode", Integer.MAX_VALUE), relay -> relay, to(SHOP, shop));
    Message one = message("a1");
    commit(one);
    eventually(() -> assertThat(refusals).isNotEmpty());
    Message other = message("a2");
    commit(other);
    for (Message each : List.of(one, other)) {
      eventually(
          () ->
              assertThat(db().operator().find(each.id()).orElseThrow().deliveries())
                  .extracting(delivery -> delivery.state())
                  .containsExactly(MessageState.SENT));
    }
    assertThat(refusals).hasSizeLessThan(10);
  }

  @Test
  void people_read_that_messages_without_a_route_are_refused_until_they_are_not() {
    start(refusing("tendUnrouted", 3, ErrorCode.STORE_REFUSED), relay -> relay, to(SHOP, shop));
    eventually(
        () ->
            assertThat(problemsOfUnrouted())
                .extracting(Finding::name)
                .containsExactly(Reason.STORE_REFUSED));
    eventually(() -> assertThat(refusals).hasSize(3));
    commit(message("a1"));
    eventually(() -> assertThat(problemsOfUnrouted()).isEmpty());
  }

  private List<Finding> problemsOfUnrouted() {
    return Steering.on(db().operator()).checks().stream()
        .filter(check -> check.destination().equals(RelayStore.UNROUTED))
        .flatMap(check -> check.problems().stream())
        .toList();
  }
}
