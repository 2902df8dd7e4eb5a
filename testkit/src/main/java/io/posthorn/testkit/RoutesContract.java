package io.posthorn.testkit;

import static io.posthorn.testkit.AppendContract.assertRefused;
import static io.posthorn.testkit.TestLane.ALL;
import static io.posthorn.testkit.TestLane.atMost;
import static io.posthorn.testkit.TestMessages.typed;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.message.Message;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.store.ServedDestination;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A destination gets the types that are routed to it, from the moment the route is known. */
public abstract class RoutesContract extends Contract {
  @Test
  void a_destination_gets_its_types_only() {
    register(SHOP, "A", "B");
    TestLane shop = take(SHOP);
    commit(typed("A", "1"), typed("C", "2"), typed("B", "3"), typed("C", "4"));
    assertThat(shop.drain()).containsExactly("1", "3");
  }

  @Test
  void many_messages_of_other_types_are_skipped() {
    register(SHOP, "A");
    TestLane shop = take(SHOP);
    commit(typed("A", "1"));
    commit(IntStream.range(0, 500).mapToObj(i -> typed("B", "x")).toArray(Message[]::new));
    commit(typed("A", "2"));
    assertThat(shop.drain(atMost(1))).containsExactly("1", "2");
  }

  @Test
  void messages_of_other_types_alone_make_no_batch() {
    register(SHOP, "A");
    TestLane shop = take(SHOP);
    commit(typed("B", "1"));
    assertThat(shop.claim(ALL).batch()).isNull();
    commit(typed("A", "2"));
    assertThat(shop.drain()).containsExactly("2");
  }

  @Test
  void the_routes_of_all_applications_apply() {
    register(SHOP, "A");
    store().register("another application", List.of(new ServedDestination(SHOP, Set.of("B"))));
    TestLane shop = take(SHOP);
    commit(typed("A", "1"), typed("B", "2"));
    assertThat(shop.drain()).containsExactly("1", "2");
  }

  @Test
  void registering_fewer_types_removes_no_route() {
    register(SHOP, "A", "B");
    register(SHOP, "A");
    TestLane shop = take(SHOP);
    commit(typed("B", "1"));
    assertThat(shop.drain()).containsExactly("1");
  }

  @Test
  void registering_again_changes_nothing() {
    TestLane shop = serve(SHOP);
    commit(typed("A", "1"));
    register(SHOP, ServedDestination.ALL_TYPES);
    db().anotherStore().register(APPLICATION, List.of(new ServedDestination(SHOP, Set.of("*"))));
    assertThat(shop.drain()).containsExactly("1");
  }

  @Test
  void many_processes_can_register_the_same_destinations_at_once() throws Throwable {
    List<Background> all =
        IntStream.range(0, 6)
            .mapToObj(
                i ->
                    Background.run(
                        () ->
                            db().anotherStore()
                                .register(
                                    "application " + i % 2,
                                    List.of(
                                        new ServedDestination(SHOP, Set.of("A", "B")),
                                        new ServedDestination("other", Set.of("*"))))))
            .toList();
    for (Background one : all) {
      one.join();
    }
    commit(typed("A", "1"));
    assertThat(take(SHOP).drain()).containsExactly("1");
    assertThat(take("other").drain()).containsExactly("1");
  }

  @Test
  void a_route_added_later_takes_effect_from_then_on() {
    register(SHOP, "A");
    serve("all");
    TestLane shop = take(SHOP);
    commit(typed("B", "before"));
    register(SHOP, "B");
    commit(typed("B", "after"));
    assertThat(shop.drain()).containsExactly("after");
  }

  @Test
  void a_route_covers_messages_that_were_uncommitted_when_it_was_added() {
    register(SHOP, "A");
    serve("all");
    TestLane shop = take(SHOP);
    try (OpenTransaction open = begin().add(typed("B", "open"))) {
      commit(typed("B", "before"));
      register(SHOP, "B");
      commit(typed("B", "after"));
      assertThat(shop.drain()).containsExactly("after");
      open.commit();
    }
    assertThat(shop.drain()).containsExactly("open");
  }

  @Test
  void a_route_added_by_another_process_takes_effect_at_once() {
    register(SHOP, "A");
    TestLane shop = take(SHOP);
    commit(typed("A", "1"));
    assertThat(shop.drain()).containsExactly("1");
    db().anotherStore().register("newer", List.of(new ServedDestination(SHOP, Set.of("B"))));
    commit(typed("B", "2"));
    assertThat(shop.drain()).containsExactly("2");
  }

  @Test
  void a_route_added_while_a_batch_is_under_way_does_not_change_its_window() {
    register(SHOP, "A");
    serve("all");
    TestLane shop = take(SHOP);
    commit(typed("A", "1"), typed("B", "passed"), typed("A", "2"), typed("B", "passed too"));
    Batch batch = shop.batch(atMost(1));
    register(SHOP, "B");
    commit(typed("B", "after"));
    Batch rest = shop.readAhead(batch, ALL).orElseThrow();
    shop.settle(List.of(batch, rest));
    assertThat(shop.drain()).containsExactly("after");
    assertThat(db().parked(SHOP)).isEmpty();
  }

  @Test
  void the_name_of_the_unrouted_cannot_be_registered() {
    assertRefused(ErrorCode.CONFIGURATION, () -> register(RelayStore.UNROUTED, "A"));
  }
}
