package io.posthorn.testkit;

import static io.posthorn.testkit.TestLane.ALL;
import static io.posthorn.testkit.TestLane.contents;
import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.typed;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.LaneLostException;
import io.posthorn.core.store.Move;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.store.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * A message that no route covers waits for one; it is not lost, and no destination gets it twice.
 */
public abstract class UnroutedContract extends Contract {
  private static final Duration GRACE = Duration.ofMinutes(10);

  private void tend(TestLane unrouted) {
    for (int i = 0; store().tendUnrouted(unrouted.lane(), GRACE); i++) {
      assertThat(i).isLessThan(50);
    }
  }

  private static Message of(String type, String key, String content) {
    return Message.of(type)
        .key(TestMessages.AGGREGATE, key)
        .payload(content.getBytes(UTF_8), "text/plain")
        .build();
  }

  private TestLane unrouted() {
    return take(RelayStore.UNROUTED);
  }

  /** All messages that a destination can get now, from the log and parked. */
  private static List<String> all(TestLane lane) {
    List<String> contents = new ArrayList<>(lane.drain());
    List<Delivery> parked = lane.parked();
    contents.addAll(contents(parked));
    lane.claim(ALL);
    lane.settle(parked.stream().map(Move.Sent::new).toArray(Move[]::new));
    return contents;
  }

  @Test
  void a_message_without_a_route_waits_for_one() {
    register(SHOP, "A");
    TestLane unrouted = unrouted();
    commit(typed("A", "1"), typed("B", "2"));
    tend(unrouted);
    assertThat(db().parked(RelayStore.UNROUTED))
        .singleElement()
        .satisfies(
            parked -> {
              assertThat(parked.content()).isEqualTo("2");
              assertThat(parked.waiting()).isEqualTo(Waiting.ROUTE);
            });
  }

  @Test
  void an_unrouted_message_is_dead_at_the_end_of_the_grace_period() {
    TestLane unrouted = unrouted();
    commit(typed("B", "1"));
    tend(unrouted);
    db().pass(GRACE.minusMinutes(1));
    tend(unrouted);
    assertThat(db().dead(RelayStore.UNROUTED)).isEmpty();
    db().pass(Duration.ofMinutes(1));
    tend(unrouted);
    assertThat(db().parked(RelayStore.UNROUTED)).isEmpty();
    TestDatabase.Dead dead = db().dead(RelayStore.UNROUTED).get(0);
    assertThat(dead.reason()).isEqualTo(Reason.NO_ROUTE);
    assertThat(dead.content()).isEqualTo("1");
    assertThat(dead.error()).contains("'B'");
    assertThat(dead.attempts()).isZero();
  }

  @Test
  void a_destination_registered_within_the_grace_period_gets_an_unrouted_message_once() {
    TestLane unrouted = unrouted();
    commit(typed("B", "1"));
    tend(unrouted);
    register(SHOP, "B");
    TestLane shop = take(SHOP);
    tend(unrouted);
    assertThat(all(shop)).containsExactly("1");
    db().pass(GRACE);
    tend(unrouted);
    assertThat(all(shop)).isEmpty();
    assertThat(db().dead(RelayStore.UNROUTED)).isEmpty();
    assertThat(db().parked(RelayStore.UNROUTED)).isEmpty();
  }

  @Test
  void a_destination_registered_before_the_first_look_gets_an_unrouted_message_once() {
    TestLane unrouted = unrouted();
    commit(typed("B", "1"));
    register(SHOP, "B");
    TestLane shop = take(SHOP);
    tend(unrouted);
    assertThat(all(shop)).containsExactly("1");
  }

  @Test
  void two_destinations_registered_within_the_grace_period_get_an_unrouted_message_once_each() {
    TestLane unrouted = unrouted();
    commit(typed("B", "1"));
    tend(unrouted);
    register(SHOP, "B");
    tend(unrouted);
    register("other", "*");
    tend(unrouted);
    assertThat(all(take(SHOP))).containsExactly("1");
    assertThat(all(take("other"))).containsExactly("1");
  }

  @Test
  void a_message_that_one_route_covers_is_not_handed_to_a_later_route() {
    register(SHOP, "B");
    TestLane unrouted = unrouted();
    commit(typed("B", "1"));
    tend(unrouted);
    register("other", "B");
    tend(unrouted);
    assertThat(all(take(SHOP))).containsExactly("1");
    assertThat(all(take("other"))).isEmpty();
  }

  @Test
  void messages_of_a_late_transaction_without_a_route_wait_too() {
    TestLane unrouted = unrouted();
    try (OpenTransaction open = begin().add(typed("B", "1"))) {
      commit(typed("B", "2"));
      tend(unrouted);
      open.commit();
    }
    tend(unrouted);
    assertThat(db().parked(RelayStore.UNROUTED))
        .extracting(TestDatabase.Parked::content)
        .containsExactly("1", "2");
  }

  @Test
  void messages_of_a_transaction_open_at_the_registration_go_to_that_destination_only() {
    TestLane unrouted = unrouted();
    try (OpenTransaction open = begin().add(typed("B", "1"))) {
      register(SHOP, "B");
      tend(unrouted);
      open.commit();
    }
    tend(unrouted);
    assertThat(db().parked(RelayStore.UNROUTED)).isEmpty();
    assertThat(take(SHOP).drain()).containsExactly("1");
  }

  @Test
  void messages_that_waited_for_a_route_go_before_later_ones() {
    TestLane unrouted = unrouted();
    commit(keyed("k", "before"));
    register(SHOP, TestMessages.TYPE);
    TestLane shop = take(SHOP);
    commit(keyed("k", "after"));
    // Nothing comes until the waiting messages are handed over.
    assertThat(shop.claim(ALL).batch()).isNull();
    assertThat(store().head().newsSince(shop.state().head())).isTrue();
    tend(unrouted);
    Batch batch = shop.batch();
    assertThat(contents(batch.deliveries())).containsExactly("after");
    assertThat(batch.blocked()).containsExactly(TestMessages.key("k"));
    shop.settle(batch, Moves.turn(only(batch)));
    assertThat(contents(shop.parked())).containsExactly("before", "after");
  }

  @Test
  void messages_of_a_key_that_waited_for_a_route_come_in_order() {
    TestLane unrouted = unrouted();
    commit(keyed("k", "1"), keyed("k", "2"), keyed("k", "3"));
    tend(unrouted);
    register(SHOP, TestMessages.TYPE);
    TestLane shop = take(SHOP);
    tend(unrouted);
    List<Delivery> parked = shop.parked();
    assertThat(contents(parked)).containsExactly("1", "2", "3");
    shop.claim(ALL);
    shop.settle(Moves.retry(parked.get(0), 1, GRACE));
    assertThat(store().look(List.of(SHOP)).due()).isEmpty();
  }

  @Test
  void a_scheduled_message_that_waited_for_a_route_still_waits_for_its_time() {
    TestLane unrouted = unrouted();
    commit(
        Message.of("B")
            .key("Thing", "k")
            .notBefore(Instant.now().plus(Duration.ofHours(1)))
            .build());
    tend(unrouted);
    register(SHOP, "B");
    TestLane shop = take(SHOP);
    tend(unrouted);
    assertThat(shop.parked()).isEmpty();
    assertThat(db().parked(SHOP).get(0).waiting()).isEqualTo(Waiting.TIME);
  }

  @Test
  void messages_handed_over_do_not_overtake_unread_ones_of_their_key() {
    TestLane unrouted = unrouted();
    register(SHOP, "A");
    TestLane shop = take(SHOP);
    commit(of("B", "k", "1"), of("A", "k", "2"), of("B", "k", "3"));
    commit(of("B", "l", "4"));
    tend(unrouted);
    register(SHOP, "B");
    tend(unrouted);
    List<Delivery> first = shop.parked();
    assertThat(contents(first)).containsExactlyInAnyOrder("1", "4");
    Batch batch = shop.batch();
    assertThat(contents(batch.deliveries())).containsExactly("2");
    assertThat(batch.blocked()).containsExactly(TestMessages.key("k"));
    shop.settle(batch, Moves.turn(only(batch)));
    shop.settle(first.stream().map(Moves::sent).toArray(Move[]::new));
    db().pass(Duration.ofSeconds(1));
    assertThat(contents(shop.parked())).containsExactly("2", "3");
  }

  @Test
  void messages_handed_over_do_not_overtake_those_of_a_long_transaction_of_their_key() {
    TestLane unrouted = unrouted();
    register(SHOP, "A");
    TestLane shop = take(SHOP);
    OpenTransaction slow = begin();
    slow.add(of("A", "k", "1"), of("B", "k", "2"), of("A", "l", "3"));
    commit(of("A", "x", "0"));
    assertThat(shop.drain()).containsExactly("0");
    slow.commit();
    commit(of("B", "l", "4"));
    tend(unrouted);
    register(SHOP, "B");
    tend(unrouted);
    assertThat(shop.parked()).isEmpty();
    Batch batch = shop.batch();
    assertThat(contents(batch.deliveries())).containsExactly("1", "3");
    shop.settle(batch, batch.deliveries().stream().map(Moves::turn).toArray(Move[]::new));
    db().pass(Duration.ofMinutes(1));
    assertThat(contents(shop.parked())).containsExactlyInAnyOrder("1", "2", "3", "4");
  }

  @Test
  void thousands_of_unrouted_messages_are_handed_over_completely() {
    TestLane unrouted = unrouted();
    commit(
        IntStream.range(0, 2_500)
            .mapToObj(i -> keyed("k" + i % 7, "" + i))
            .toArray(Message[]::new));
    register(SHOP, "*");
    TestLane shop = take(SHOP);
    tend(unrouted);
    assertThat(db().parked(SHOP)).hasSize(2_500);
    assertThat(shop.claim(ALL).batch()).isNull();
  }

  @Test
  void thousands_of_messages_whose_route_comes_late_are_handed_over_and_none_dies() {
    TestLane unrouted = unrouted();
    commit(
        IntStream.range(0, 2_500)
            .mapToObj(i -> keyed("k" + i % 7, "" + i))
            .toArray(Message[]::new));
    tend(unrouted);
    db().pass(GRACE.plusMinutes(1));
    register(SHOP, "*");
    tend(unrouted);
    assertThat(db().parked(SHOP)).hasSize(2_500);
    assertThat(db().dead(RelayStore.UNROUTED)).isEmpty();
    register("late", "*");
    tend(unrouted);
    assertThat(db().parked("late")).as("after the grace").isEmpty();
  }

  @Test
  void messages_that_one_destination_got_are_kept_for_another_that_has_not_got_them_yet() {
    TestLane unrouted = unrouted();
    OpenTransaction slow = begin();
    slow.add(IntStream.range(0, 1_100).mapToObj(i -> typed("B", "" + i)).toArray(Message[]::new));
    commit(typed("B", "waits longest"));
    tend(unrouted);
    db().pass(GRACE.dividedBy(2));
    slow.commit();
    register(SHOP, "B");
    tend(unrouted);
    db().pass(GRACE.dividedBy(2).plusMinutes(1));
    register("late", "B");
    tend(unrouted);
    assertThat(db().parked("late")).hasSize(1_101);
  }

  @Test
  void only_the_owner_of_its_lane_tends_the_unrouted() {
    TestLane unrouted = unrouted();
    commit(typed("B", "1"));
    takeOver(RelayStore.UNROUTED);
    assertThatThrownBy(() -> store().tendUnrouted(unrouted.lane(), GRACE))
        .isInstanceOf(LaneLostException.class);
    assertThat(db().parked(RelayStore.UNROUTED)).isEmpty();
  }
}
