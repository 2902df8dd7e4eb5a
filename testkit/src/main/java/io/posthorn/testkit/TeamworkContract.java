package io.posthorn.testkit;

import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.observe.Event;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.steering.Steering;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.core.relay.RetryPolicy;
import io.posthorn.core.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How several relays work together, start, pause and stop. */
public abstract class TeamworkContract extends RelayTopic {
  private static final RelayConfig SHORT_LEASE =
      RelayConfig.builder()
          .lease(Duration.ofSeconds(2))
          .settleTimeout(Duration.ofMillis(500))
          .poll(Duration.ofMillis(2), Duration.ofMillis(50))
          .build();

  private static final RetryPolicy PATIENT =
      RetryPolicy.DEFAULT
          .backoff(Duration.ofMillis(1), Duration.ofMillis(1))
          .attempts(Integer.MAX_VALUE);

  private final FakeConnector shop = FakeConnector.acking();

  @Test
  void relays_share_out_the_destinations_and_each_message_is_sent_once() {
    List<FakeConnector> shops = new ArrayList<>();
    List<FakeConnector> mails = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      shops.add(FakeConnector.acking());
      mails.add(FakeConnector.acking());
      start(
          relay -> relay.config(RelayConfig.builder().lease(Duration.ofSeconds(12)).build()),
          to(SHOP, shops.get(i)).sendTimeout(Duration.ofMillis(100)),
          to("mail", mails.get(i)).sendTimeout(Duration.ofMillis(100)));
    }
    List<String> committed = new ArrayList<>();
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              for (int i = 0; i < 20; i++) {
                committed.add("m" + committed.size());
                commit(message(committed.get(committed.size() - 1)));
              }
              return committed.size() > 300 && busiest(shops) != busiest(mails);
            });
    for (List<FakeConnector> connectors : List.of(shops, mails)) {
      eventually(
          () ->
              assertThat(connectors.stream().flatMap(connector -> contents(connector).stream()))
                  .containsExactlyInAnyOrderElementsOf(committed));
    }
  }

  @Test
  void a_lane_whose_grant_was_committed_and_not_answered_is_worked_on_within_seconds() {
    Set<String> lost = ConcurrentHashMap.newKeySet();
    Store losing =
        Around.calls(
            Store.class,
            db().anotherStore(),
            (name, call) -> {
              Object granted = call.proceed();
              if (name.equals("take") && lost.add(call.argument(1).toString())) {
                throw new PosthornException(ErrorCode.STORE_FAILED, "the answer was lost");
              }
              return granted;
            });
    start(
        losing,
        relay -> relay.config(RelayConfig.builder().lease(Duration.ofMinutes(2)).build()),
        to(SHOP, shop));
    commit(message("a"));
    eventually(shop, got -> assertThat(got).containsExactly("a"));
    assertThat(lost).contains(SHOP);
  }

  @Test
  void relays_that_start_one_after_the_other_share_ten_destinations_evenly_within_seconds() {
    countsWhatOneLaneDoes();
    List<Set<String>> lanes = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Set<String> its = ConcurrentHashMap.newKeySet();
      lanes.add(its);
      start(
          relay ->
              relay.observer(
                  event -> {
                    if (event instanceof Event.LaneTaken) {
                      its.add(event.destination());
                    } else if (event instanceof Event.LaneReleased) {
                      its.remove(event.destination());
                    }
                  }),
          IntStream.range(0, 10)
              .mapToObj(n -> to("d" + n, shop))
              .toArray(Destination.Builder[]::new));
      int relays = i + 1;
      await()
          .atMost(Duration.ofSeconds(8))
          .untilAsserted(
              () -> {
                assertThat(lanes).allMatch(held -> held.size() >= 10 / relays);
                assertThat(lanes.stream().mapToInt(Set::size).sum()).isEqualTo(10);
              });
    }
  }

  /** The relay that has sent most of the messages. */
  private static int busiest(List<FakeConnector> connectors) {
    int busiest = 0;
    for (int i = 0; i < connectors.size(); i++) {
      busiest =
          connectors.get(i).received().size() > connectors.get(busiest).received().size()
              ? i
              : busiest;
    }
    return busiest;
  }

  /** Otherwise the waiting calls of a frozen relay would get the lock one after the other. */
  @Test
  void a_lane_never_waits_for_its_own_lock() {
    countsWhatOneLaneDoes();
    Overlaps overlaps = new Overlaps(db().anotherStore());
    AtomicInteger calls = new AtomicInteger();
    shop.outcome(
        m ->
            calls.incrementAndGet() % 3 == 0
                ? Outcome.failed(Reason.of("FLAKY", "now and then"))
                : Outcome.SENT);
    start(overlaps.store(), relay -> relay, to(SHOP, shop).retry(PATIENT));
    for (int i = 0; i < 100; i++) {
      commit(many(20, 20));
    }
    eventually(shop, got -> assertThat(Set.copyOf(got)).hasSize(20));
    eventually(() -> assertThat(db().parked(SHOP)).isEmpty());
    assertThat(overlaps.most()).isEqualTo(1);
  }

  @Test
  void a_graceful_restart_under_traffic_causes_no_duplicate_and_no_gap() {
    AtomicInteger committed = new AtomicInteger();
    Relay running = start(to(SHOP, shop));
    for (int round = 0; round < 10; round++) {
      for (int i = 0; i < 10; i++) {
        commit(message("m" + committed.getAndIncrement()));
      }
      Relay next = start(to(SHOP, shop));
      running.close();
      running = next;
    }
    eventually(shop, got -> assertThat(got).hasSize(committed.get()));
    assertThat(contents(shop)).doesNotHaveDuplicates();
  }

  @Test
  void a_stop_waits_for_messages_in_flight() {
    shop.reply(m -> FakeConnector.Reply.late(Outcome.SENT));
    Relay relay = start(to(SHOP, shop));
    commit(message("one"));
    eventually(shop, got -> assertThat(got).containsExactly("one"));
    Thread stopping = new Thread(relay::close);
    stopping.start();
    await()
        .during(Duration.ofMillis(200))
        .untilAsserted(() -> assertThat(stopping.isAlive()).isTrue());
    shop.answerLate();
    eventually(() -> assertThat(stopping.isAlive()).isFalse());
    FakeConnector next = FakeConnector.acking();
    start(to(SHOP, next));
    commit(message("two"));
    eventually(next, got -> assertThat(got).containsExactly("two"));
  }

  @Test
  void a_paused_destination_waits_and_goes_on_where_it_was() {
    start(to(SHOP, shop));
    commit(keyed("a", "one"));
    eventually(shop, got -> assertThat(got).containsExactly("one"));
    db().pause(SHOP, true);
    commit(keyed("a", "two"));
    commit(keyed("a", "three"));
    await()
        .during(Duration.ofMillis(300))
        .untilAsserted(() -> assertThat(contents(shop)).containsExactly("one"));
    db().pause(SHOP, false);
    eventually(shop, got -> assertThat(got).containsExactly("one", "two", "three"));
  }

  @Test
  void a_late_route_gets_its_waiting_messages_without_new_traffic() {
    start(only(SHOP, shop, "Other"));
    commit(TestMessages.typed("New", "n"));
    eventually(() -> assertThat(db().parked("unrouted")).hasSize(1));
    FakeConnector mail = FakeConnector.acking();
    start(only("mail", mail, "New"));
    eventually(mail, got -> assertThat(got).containsExactly("n"));
  }

  @Test
  void a_connector_that_hangs_delays_only_its_own_destination_and_loses_its_lane() {
    FakeConnector hanging = FakeConnector.acking().block();
    Relay stuck =
        start(
            relay -> relay.config(SHORT_LEASE),
            to(SHOP, hanging).sendTimeout(Duration.ofMillis(100)),
            to("mail", shop).sendTimeout(Duration.ofMillis(100)));
    commit(message("one"));
    eventually(hanging, got -> assertThat(got).containsExactly("one"));
    FakeConnector other = FakeConnector.acking();
    start(relay -> relay.config(SHORT_LEASE), to(SHOP, other).sendTimeout(Duration.ofMillis(100)));
    eventually(other, got -> assertThat(got).containsExactly("one"));
    commit(message("two"));
    eventually(other, got -> assertThat(got).containsExactly("one", "two"));
    eventually(shop, got -> assertThat(got).containsExactly("one", "two"));
    hanging.unblock();
    stuck.close();
  }

  @Test
  void a_relay_that_lacks_code_serves_a_lane_that_a_better_one_has_lost() {
    FakeConnector hanging = FakeConnector.acking().block();
    Relay stuck =
        start(
            relay -> relay.config(SHORT_LEASE),
            only(SHOP, hanging, "Old", "New").sendTimeout(Duration.ofMillis(100)));
    commit(TestMessages.typed("Old", "one"));
    eventually(hanging, got -> assertThat(got).containsExactly("one"));
    start(
        relay -> relay.config(SHORT_LEASE),
        only(SHOP, shop, "Old").sendTimeout(Duration.ofMillis(100)));
    eventually(shop, got -> assertThat(got).containsExactly("one"));
    commit(TestMessages.typed("Old", "two"));
    eventually(shop, got -> assertThat(got).containsExactly("one", "two"));
    hanging.unblock();
    stuck.close();
  }

  /** A connection that dies silently, while the heartbeat's is alive. */
  @Test
  void a_settle_that_never_returns_costs_only_the_lane() {
    CountDownLatch answered = new CountDownLatch(1);
    Store hanging =
        Around.calls(
            Store.class,
            db().anotherStore(),
            (name, call) -> {
              if (name.equals("settle")) {
                answered.await();
              }
              return call.proceed();
            });
    start(
        hanging,
        relay -> relay.config(SHORT_LEASE),
        to(SHOP, shop).sendTimeout(Duration.ofMillis(100)));
    commit(message("one"));
    eventually(shop, got -> assertThat(got).containsExactly("one"));
    FakeConnector other = FakeConnector.acking();
    start(relay -> relay.config(SHORT_LEASE), to(SHOP, other).sendTimeout(Duration.ofMillis(100)));
    commit(message("two"));
    eventually(other, got -> assertThat(got).containsExactly("one", "two"));
    answered.countDown();
  }

  @Test
  void a_relay_presumed_dead_registers_again_a_destination_that_was_removed_meanwhile() {
    start(to(SHOP, shop));
    commit(message("one"));
    eventually(shop, got -> assertThat(got).containsExactly("one"));
    Steering steering = Steering.on(db().operator());
    // The relay may come back right before; then the destination is not removed.
    await()
        .ignoreException(PosthornException.class)
        .until(
            () -> {
              db().pass(Duration.ofMinutes(1));
              return steering.remove(SHOP, new Actor("anna", "a test")) == 0;
            });
    eventually(() -> assertThat(steering.routes(null)).isNotEmpty());
    commit(message("two"));
    eventually(shop, got -> assertThat(got).containsExactly("one", "two"));
  }

  @Test
  void a_relay_of_another_environment_refuses_to_work() {
    start(to(SHOP, shop)).close();
    assertThatThrownBy(
            () ->
                Relay.on(db().anotherStore(), APPLICATION, "staging")
                    .destination(to(SHOP, shop).build())
                    .build()
                    .start())
        .isInstanceOfSatisfying(
            PosthornException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.ENVIRONMENT_DIFFERS));
  }

  @Test
  void the_error_for_an_invalid_configuration_lists_all_its_problems() {
    assertThatThrownBy(
            () ->
                Relay.on(store(), APPLICATION, ENVIRONMENT)
                    .config(
                        RelayConfig.builder()
                            .lease(Duration.ofSeconds(1))
                            .batchSize(0)
                            .storeThreads(1)
                            .build())
                    .destination(to(SHOP, shop).build())
                    .build())
        .hasMessageContaining("lease")
        .hasMessageContaining("batchSize")
        .hasMessageContaining("storeThreads");
  }
}
