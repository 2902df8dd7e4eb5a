package io.posthorn.testkit;

import static io.posthorn.testkit.TestLane.ALL;
import static io.posthorn.testkit.TestLane.contents;
import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static io.posthorn.testkit.TestMessages.typed;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.message.Message;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Move;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.core.store.Start;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * A new destination begins at its configured start and gets everything from there on exactly once.
 */
public abstract class StartContract extends Contract {
  private static final Duration GRACE = Duration.ofMinutes(10);

  private void register(Start start, String... types) {
    store().register(APPLICATION, List.of(new ServedDestination(SHOP, Set.of(types), start)));
  }

  private static Start ago(Duration time) {
    return Start.at(Instant.now().minus(time));
  }

  private static void drainParked(TestLane lane, List<String> into) {
    for (List<Delivery> due = lane.parked(); !due.isEmpty(); due = lane.parked()) {
      into.addAll(contents(due));
      lane.settle(due.stream().map(Move.Sent::new).toArray(Move[]::new));
    }
  }

  /**
   * All messages that the destination gets, however often it claims and the unrouted are tended.
   */
  private List<String> all() {
    TestLane shop = take(SHOP);
    TestLane unrouted = take(RelayStore.UNROUTED);
    List<String> contents = new ArrayList<>();
    for (int round = 0; round < 3; round++) {
      while (store().tendUnrouted(unrouted.lane(), GRACE)) {
        // There is more.
      }
      shop.claim(ALL);
      drainParked(shop, contents);
      contents.addAll(shop.drain());
    }
    store().release(shop.lane());
    store().release(unrouted.lane());
    return contents;
  }

  private void assertNothingIsLeft() {
    db().pass(GRACE.plusMinutes(1));
    assertThat(all()).isEmpty();
    assertThat(db().parked(RelayStore.UNROUTED)).isEmpty();
    assertThat(db().dead(RelayStore.UNROUTED)).isEmpty();
  }

  private void tend() {
    TestLane unrouted = take(RelayStore.UNROUTED);
    while (store().tendUnrouted(unrouted.lane(), GRACE)) {
      // There is more.
    }
    store().release(unrouted.lane());
  }

  @Test
  void a_destination_begins_now_by_default() {
    serve("another");
    commit(message("before"));
    register(Start.NOW, "*");
    commit(message("after"));
    assertThat(all()).containsExactly("after");
  }

  @Test
  void a_start_at_earliest_gets_all_messages_in_the_log() {
    TestLane another = serve("another");
    commit(IntStream.range(0, 20).mapToObj(i -> message("" + i)).toArray(Message[]::new));
    assertThat(another.drain()).hasSize(20);
    register(Start.EARLIEST, "*");
    commit(message("20"));
    assertThat(all())
        .containsExactlyElementsOf(IntStream.rangeClosed(0, 20).mapToObj(i -> "" + i).toList());
    assertNothingIsLeft();
  }

  @Test
  void a_start_at_earliest_gets_only_the_types_routed_to_the_destination() {
    serve("another");
    commit(typed("A", "1"), typed("B", "2"), typed("A", "3"));
    register(Start.EARLIEST, "A");
    assertThat(all()).containsExactly("1", "3");
  }

  @Test
  void messages_that_wait_for_a_route_come_once_and_in_their_place() {
    commit(keyed("k", "1"), keyed("l", "2"));
    tend();
    commit(keyed("k", "3"));
    register(Start.EARLIEST, TestMessages.TYPE);
    commit(keyed("k", "4"));
    assertThat(all()).containsExactly("1", "2", "3", "4");
    assertNothingIsLeft();
  }

  @Test
  void messages_that_waited_for_a_route_since_before_the_start_come_once_and_first() {
    commit(keyed("k", "1"));
    tend();
    commit(keyed("k", "2"));
    db().pass(Duration.ofMinutes(5));
    commit(keyed("k", "3"));
    register(ago(Duration.ofMinutes(2)), TestMessages.TYPE);
    commit(keyed("k", "4"));
    List<String> all = all();
    // The last ones may have been parked behind the first; they are then due at the next look.
    all.addAll(all());
    assertThat(all).containsExactly("1", "2", "3", "4");
    assertNothingIsLeft();
  }

  @Test
  void a_start_at_a_time_gets_the_messages_recorded_since_then() {
    serve("another");
    commit(message("old"));
    tend();
    db().pass(Duration.ofHours(1));
    commit(message("new"));
    tend();
    register(ago(Duration.ofMinutes(30)), "*");
    commit(message("newer"));
    assertThat(all()).containsExactly("new", "newer");
    assertNothingIsLeft();
  }

  @Test
  void a_start_at_a_time_gets_the_messages_recorded_since_then_even_if_no_relay_ran() {
    serve("another");
    commit(message("old"));
    db().pass(Duration.ofHours(1));
    commit(message("new"));
    register(ago(Duration.ofMinutes(30)), "*");
    assertThat(all()).containsExactly("new");
  }

  @Test
  void a_start_before_the_log_means_earliest_and_a_start_in_the_future_means_now() {
    serve("another");
    commit(message("1"));
    register(ago(Duration.ofDays(400)), "*");
    assertThat(all()).containsExactly("1");
    store()
        .register(
            APPLICATION,
            List.of(
                new ServedDestination("later", Set.of("*"), ago(Duration.ofDays(1).negated()))));
    commit(message("2"));
    assertThat(take("later").drain()).containsExactly("2");
  }

  @Test
  void messages_of_a_transaction_open_at_the_registration_come_once() {
    serve("another");
    try (OpenTransaction open = begin().add(message("open"))) {
      commit(message("1"));
      tend();
      register(Start.EARLIEST, "*");
      commit(message("2"));
      assertThat(all()).containsExactly("1", "2");
      open.commit();
    }
    assertThat(all()).containsExactly("open");
    assertNothingIsLeft();
  }

  @Test
  void messages_of_a_transaction_open_in_an_empty_log_come_once() {
    tend();
    try (OpenTransaction open = begin().add(message("open"))) {
      commit(typed("Other", "passed"));
      tend();
      register(Start.EARLIEST, TestMessages.TYPE);
      open.commit();
    }
    assertThat(all()).containsExactly("open");
  }

  @Test
  void a_known_destination_does_not_begin_again() {
    serve("another");
    register(Start.NOW, "A");
    commit(typed("A", "1"), typed("B", "2"));
    assertThat(all()).containsExactly("1");
    register(Start.EARLIEST, "A", "B");
    assertThat(all()).isEmpty();
    commit(typed("B", "3"));
    assertThat(all()).containsExactly("3");
  }

  @Test
  void messages_come_once_and_in_order_while_others_are_being_written() throws Throwable {
    int keys = 4;
    int each = 150;
    List<Background> writers = new ArrayList<>();
    for (int i = 0; i < keys; i++) {
      String key = "k" + i;
      writers.add(
          Background.run(
              () -> {
                for (int n = 0; n < each; n++) {
                  commit(keyed(key, key + ":" + n));
                }
              }));
    }
    List<String> got = new ArrayList<>();
    for (int round = 0; round < 10; round++) {
      tend();
      if (round == 3) {
        register(Start.EARLIEST, TestMessages.TYPE);
      }
      if (round >= 3) {
        got.addAll(all());
      }
    }
    for (Background writer : writers) {
      writer.join();
    }
    got.addAll(all());
    for (int i = 0; i < keys; i++) {
      String key = "k" + i + ":";
      assertThat(got.stream().filter(content -> content.startsWith(key)).toList())
          .containsExactlyElementsOf(IntStream.range(0, each).mapToObj(n -> key + n).toList());
    }
    assertNothingIsLeft();
  }
}
