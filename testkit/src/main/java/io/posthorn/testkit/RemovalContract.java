package io.posthorn.testkit;

import static io.posthorn.testkit.Moves.die;
import static io.posthorn.testkit.Moves.retry;
import static io.posthorn.testkit.TestLane.contents;
import static io.posthorn.testkit.TestMessages.key;
import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static io.posthorn.testkit.TestMessages.typed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.audit.Audit;
import io.posthorn.core.operate.audit.AuditEntry;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.operate.deadletter.Requeue;
import io.posthorn.core.operate.deadletter.Rescued;
import io.posthorn.core.operate.operation.Operation;
import io.posthorn.core.operate.operation.Operations;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.core.operate.steering.DestinationStatus;
import io.posthorn.core.operate.steering.Route;
import io.posthorn.core.operate.steering.Scope;
import io.posthorn.core.operate.steering.Steering;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.LaneLostException;
import io.posthorn.core.store.Move;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.core.store.Start;
import io.posthorn.core.store.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Only a person removes destinations and routes, never a program that starts with fewer of them.
 */
public abstract class RemovalContract extends Contract {
  private static final Actor ANNA = new Actor("anna", "the shop is closed for good");
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration WEEK = Duration.ofDays(7);

  private Steering steering() {
    return Steering.on(db().operator());
  }

  /** Lets time pass as if all relays had been gone for a while. */
  private void nobodyIsHere() {
    db().pass(LEASE.plusMinutes(1));
  }

  private List<String> destinations() {
    return steering().destinations().stream().map(DestinationStatus::name).toList();
  }

  @Test
  void a_removed_destination_no_longer_keeps_the_log() {
    serve(SHOP);
    TestLane unrouted = take(RelayStore.UNROUTED);
    commit(message("1"));
    while (store().tendUnrouted(unrouted.lane(), WEEK)) {}
    db().pass(WEEK.plusDays(2));
    assertThat(store().purge(WEEK).emptied()).as("before").isEmpty();
    assertThat(steering().remove(SHOP, ANNA)).isZero();
    assertThat(destinations()).containsExactly(RelayStore.UNROUTED);
    assertThat(store().purge(WEEK).emptied()).isNotEmpty();
    assertThat(db().logged()).isEmpty();
    assertThat(Audit.on(db().operator()).after(0, 10))
        .extracting(AuditEntry::who, AuditEntry::action, AuditEntry::target, AuditEntry::before)
        .containsExactly(
            tuple(
                "anna",
                "destination.remove",
                "destination shop",
                "routes of * by tests; 1 message of the log not sent to it"));
  }

  @Test
  void a_destination_that_a_live_relay_is_configured_for_is_not_removed() {
    TestLane shop = serve(SHOP);
    commit(message("1"));
    assertThatThrownBy(() -> steering().remove(SHOP, ANNA))
        .hasMessageContaining("relay 'relay' of application 'tests'")
        .hasMessageContaining("was not removed");
    assertThatThrownBy(
            () -> steering().narrow(SHOP, Set.of(ServedDestination.ALL_TYPES), null, ANNA))
        .hasMessageContaining("were not removed");
    assertThat(shop.drain()).containsExactly("1");
    nobodyIsHere();
    steering().remove(SHOP, ANNA);
    assertThat(destinations()).doesNotContain(SHOP);
  }

  @Test
  void neither_the_unrouted_nor_an_unknown_destination_is_removed() {
    serve("mail");
    assertThatThrownBy(() -> steering().remove(RelayStore.UNROUTED, ANNA))
        .hasMessageContaining("belongs to Posthorn itself");
    assertThatThrownBy(() -> steering().narrow(RelayStore.UNROUTED, Set.of("A"), null, ANNA))
        .hasMessageContaining("belongs to Posthorn itself");
    assertThatThrownBy(() -> steering().remove("male", ANNA))
        .hasMessageContaining("no destination 'male'")
        .hasMessageContaining("mail");
    assertThat(Audit.on(db().operator()).after(0, 10)).isEmpty();
  }

  @Test
  void parked_messages_of_a_removed_destination_become_dead_letters_that_wait_for_a_person() {
    TestLane shop = serve(SHOP);
    Message[] many =
        IntStream.range(0, 1_203).mapToObj(i -> keyed("k" + i, "m" + i)).toArray(Message[]::new);
    commit(many);
    Batch batch = shop.batch();
    Move[] moves = batch.deliveries().stream().map(one -> retry(one, 2, HOUR)).toArray(Move[]::new);
    shop.settle(batch, moves);
    nobodyIsHere();
    assertThat(steering().remove(SHOP, ANNA)).isEqualTo(many.length);
    assertThat(db().parked(SHOP)).isEmpty();
    assertThat(db().dead(SHOP))
        .hasSize(many.length)
        .allMatch(letter -> letter.reason().equals("DESTINATION_REMOVED"))
        .allMatch(letter -> letter.lastReason().equals(Moves.REASON.code()))
        .allMatch(letter -> letter.attempts() == 2);
    assertThat(Audit.on(db().operator()).after(0, 10))
        .extracting(AuditEntry::action, AuditEntry::after)
        .containsExactly(
            tuple("destination.pause", "paused"),
            tuple("destination.give-up", "1000 parked messages are dead letters"),
            tuple("destination.give-up", "203 parked messages are dead letters"),
            tuple("destination.remove", "removed; 0 parked messages are dead letters"));
  }

  @Test
  void letters_of_a_removed_destination_are_requeued_only_once_it_was_added_again() {
    TestLane shop = serve(SHOP);
    commit(keyed("k", "1"), keyed("k", "2"));
    Batch batch = shop.batch();
    List<Delivery> all = batch.deliveries();
    shop.settle(batch, retry(all.get(0), 1, HOUR), Moves.turn(all.get(1)));
    nobodyIsHere();
    steering().remove(SHOP, ANNA);
    List<UUID> letters = db().dead(SHOP).stream().map(TestDatabase.Dead::id).toList();
    Rescued refused = DeadLetters.on(db().operator()).requeue(letters, Requeue.SAME, ANNA);
    assertThat(refused.done()).isZero();
    assertThat(refused.refused().values())
        .hasSize(2)
        .allMatch(why -> why.contains("destination 'shop' was removed"));
    TestLane again = serve(SHOP);
    assertThat(DeadLetters.on(db().operator()).requeue(letters, Requeue.SAME, ANNA).done())
        .isEqualTo(2);
    assertThat(contents(again.parked())).containsExactly("1", "2");
  }

  @Test
  void letters_of_a_removed_destination_can_be_discarded() {
    TestLane shop = serve(SHOP);
    commit(message("1"));
    Batch batch = shop.batch();
    shop.settle(batch, die(only(batch), 1, AfterDead.CONTINUE));
    nobodyIsHere();
    steering().remove(SHOP, ANNA);
    List<UUID> letters = db().dead(SHOP).stream().map(TestDatabase.Dead::id).toList();
    assertThat(DeadLetters.on(db().operator()).discard(letters, ANNA).done()).isEqualTo(1);
  }

  @Test
  void a_destination_that_is_added_again_begins_anew() {
    TestLane shop = serve(SHOP);
    commit(keyed("k", "dies"));
    Batch batch = shop.batch();
    shop.settle(batch, die(only(batch), 1, AfterDead.HOLD));
    steering().pause(Scope.destination(SHOP), ANNA);
    steering().pause(Scope.key(key("p"), SHOP), ANNA);
    commit(keyed("k", "before"));
    TestLane unrouted = take(RelayStore.UNROUTED);
    while (store().tendUnrouted(unrouted.lane(), WEEK)) {}
    nobodyIsHere();
    steering().remove(SHOP, ANNA);
    TestLane again = serve(SHOP);
    commit(keyed("k", "after"), keyed("p", "too"));
    Batch next = again.batch();
    assertThat(next.blocked()).isEmpty();
    assertThat(contents(next.deliveries())).containsExactly("after", "too");
  }

  @Test
  void messages_committed_after_the_removal_have_no_route() {
    serve(SHOP);
    TestLane unrouted = take(RelayStore.UNROUTED);
    commit(message("before"));
    OpenTransaction open = begin().add(message("open"));
    while (store().tendUnrouted(unrouted.lane(), WEEK)) {}
    nobodyIsHere();
    steering().remove(SHOP, ANNA);
    open.commit();
    commit(message("after"));
    TestLane next = take(RelayStore.UNROUTED);
    while (store().tendUnrouted(next.lane(), WEEK)) {}
    assertThat(db().parked(RelayStore.UNROUTED))
        .extracting(TestDatabase.Parked::content)
        .containsExactlyInAnyOrder("open", "after");
  }

  @Test
  void messages_sent_before_the_removal_are_not_counted_as_unrouted() {
    TestLane shop = serve(SHOP);
    commit(message("sent"));
    assertThat(shop.drain()).containsExactly("sent");
    nobodyIsHere();
    // Nobody has looked for messages without a route since then.
    steering().remove(SHOP, ANNA);
    commit(message("later"));
    TestLane unrouted = take(RelayStore.UNROUTED);
    while (store().tendUnrouted(unrouted.lane(), WEEK)) {}
    assertThat(db().parked(RelayStore.UNROUTED))
        .extracting(TestDatabase.Parked::content)
        .containsExactly("later");
  }

  @Test
  void a_destination_that_is_being_rewound_cannot_be_removed() {
    TestLane shop = serve(SHOP);
    commit(message("1"));
    assertThat(shop.drain()).containsExactly("1");
    Operation rewind = Operations.on(db().operator()).start(Plan.rewind(SHOP, Instant.EPOCH), ANNA);
    nobodyIsHere();
    assertThatThrownBy(() -> steering().remove(SHOP, ANNA)).hasMessageContaining("is rewinding it");
    Operations.on(db().operator()).stop(rewind.id(), ANNA);
    steering().remove(SHOP, ANNA);
    assertThat(destinations()).doesNotContain(SHOP);
  }

  @Test
  void a_destination_that_is_added_again_for_the_past_keeps_the_log_from_then_on() {
    TestLane shop = serve(SHOP);
    TestLane unrouted = take(RelayStore.UNROUTED);
    commit(message("1"));
    assertThat(shop.drain()).containsExactly("1");
    while (store().tendUnrouted(unrouted.lane(), WEEK)) {}
    db().pass(WEEK.plusDays(2));
    steering().remove(SHOP, ANNA);
    ServedDestination all =
        new ServedDestination(SHOP, Set.of(ServedDestination.ALL_TYPES), Start.EARLIEST);
    store().register(APPLICATION, List.of(all));
    assertThat(store().purge(WEEK).emptied()).isEmpty();
    TestLane again = take(SHOP);
    assertThat(again.drain()).containsExactly("1");
  }

  @Test
  void letters_of_a_removed_destination_stay_in_the_stories_of_their_messages() {
    TestLane shop = serve(SHOP);
    Message message = message("1");
    commit(message);
    Batch batch = shop.batch();
    shop.settle(batch, die(only(batch), 1, AfterDead.CONTINUE));
    nobodyIsHere();
    steering().remove(SHOP, ANNA);
    assertThat(seen(db().operator().find(message.id()).orElseThrow()).deliveries())
        .extracting(delivery -> delivery.destination(), delivery -> delivery.state().name())
        .containsExactly(tuple(SHOP, "DEAD"));
  }

  @Test
  void what_a_removed_destination_got_under_a_new_id_stays_sent() {
    TestLane shop = serve(SHOP);
    Message message = message("1");
    commit(message);
    Batch batch = shop.batch();
    shop.settle(batch, die(only(batch), 1, AfterDead.CONTINUE));
    List<UUID> letters = db().dead(SHOP).stream().map(TestDatabase.Dead::id).toList();
    DeadLetters.on(db().operator()).requeue(letters, Requeue.SAME.withNewId(), ANNA);
    shop.settle(Moves.sent(shop.parked().get(0)));
    nobodyIsHere();
    steering().remove(SHOP, ANNA);
    assertThat(seen(db().operator().find(message.id()).orElseThrow()).deliveries())
        .extracting(delivery -> delivery.destination(), delivery -> delivery.state().name())
        .containsExactly(tuple(SHOP, "SENT"));
  }

  @Test
  void a_relay_presumed_dead_settles_nothing_for_a_removed_destination() {
    TestLane shop = serve(SHOP);
    commit(message("1"));
    Batch batch = shop.batch();
    nobodyIsHere();
    steering().remove(SHOP, ANNA);
    assertThatThrownBy(() -> shop.settle(batch)).isInstanceOf(LaneLostException.class);
    serve(SHOP);
    assertThatThrownBy(() -> shop.settle(batch)).isInstanceOf(LaneLostException.class);
  }

  @Test
  void routes_are_removed_by_type_and_application() {
    register(SHOP, "A", "B");
    store().register("other", List.of(new ServedDestination(SHOP, Set.of("A", "C"))));
    TestLane shop = take("shop");
    assertThat(steering().routes(SHOP))
        .extracting(Route::type, Route::application, Route::relay)
        .containsExactly(
            tuple("A", "other", null),
            tuple("A", APPLICATION, null),
            tuple("B", APPLICATION, null),
            tuple("C", "other", null));
    assertThat(steering().narrow(SHOP, Set.of("C"), APPLICATION, ANNA)).isZero();
    assertThat(steering().narrow(SHOP, Set.of("B"), null, ANNA)).isEqualTo(1);
    commit(typed("A", "a"), typed("B", "b"), typed("C", "c"));
    assertThat(shop.drain()).containsExactly("a", "c");
    assertThat(steering().narrow(SHOP, Set.of(), "other", ANNA)).isEqualTo(2);
    commit(typed("A", "a2"), typed("C", "c2"));
    assertThat(shop.drain()).containsExactly("a2");
    assertThat(Audit.on(db().operator()).after(0, 10))
        .extracting(AuditEntry::action, AuditEntry::before)
        .containsExactly(
            tuple("destination.narrow", "routes of B by tests"),
            tuple("destination.narrow", "routes of A by other, C by other"));
  }

  @Test
  void a_route_is_not_removed_while_messages_wait_that_no_younger_route_covers() {
    register(SHOP, "A", "B");
    TestLane shop = take(SHOP);
    commit(typed("A", "a1"), typed("B", "b1"));
    store().register("other", List.of(new ServedDestination(SHOP, Set.of("A"))));
    nobodyIsHere();
    assertThatThrownBy(() -> steering().narrow(SHOP, Set.of(), APPLICATION, ANNA))
        .hasMessageStartingWith(ErrorCode.CONFLICT.text())
        .hasMessageContaining("'A'")
        .hasMessageContaining("route is younger than they are");
    assertThat(shop.drain()).containsExactly("a1", "b1");
    assertThat(steering().narrow(SHOP, Set.of(), APPLICATION, ANNA)).isEqualTo(2);
    commit(typed("A", "a2"));
    assertThat(shop.drain()).containsExactly("a2");
  }

  @Test
  void a_route_for_all_types_is_not_removed_while_messages_wait_that_no_younger_route_covers() {
    TestLane shop = serve(SHOP);
    commit(typed("A", "a1"));
    store().register("other", List.of(new ServedDestination(SHOP, Set.of("A"))));
    nobodyIsHere();
    assertThatThrownBy(() -> steering().narrow(SHOP, Set.of("*"), null, ANNA))
        .hasMessageStartingWith(ErrorCode.CONFLICT.text())
        .hasMessageContaining("route is younger than they are");
    assertThat(shop.drain()).containsExactly("a1");
    assertThat(steering().narrow(SHOP, Set.of("*"), null, ANNA)).isEqualTo(1);
  }

  @Test
  void a_removed_route_makes_dead_letters_of_messages_that_wait_for_code() {
    register(SHOP, "A", "B");
    TestLane shop = take(SHOP);
    commit(
        Message.of("B").key("Thing", "k").json(new byte[0]).build(),
        Message.of("A").key("Thing", "k").json(new byte[0]).build());
    Batch batch = shop.batch();
    List<Delivery> all = batch.deliveries();
    shop.settle(batch, Moves.park(all.get(0), Waiting.CODE, 0, HOUR), Moves.turn(all.get(1)));
    steering().narrow(SHOP, Set.of("B"), null, ANNA);
    assertThat(db().dead(SHOP))
        .extracting(TestDatabase.Dead::type, TestDatabase.Dead::reason)
        .containsExactly(tuple("B", "ROUTE_REMOVED"));
    assertThat(shop.parked()).singleElement().matches(one -> one.message().type().equals("A"));
  }

  @Test
  void a_type_whose_last_route_is_removed_has_no_route() {
    register(SHOP, "A", "B");
    TestLane unrouted = take(RelayStore.UNROUTED);
    commit(typed("B", "b1"));
    while (store().tendUnrouted(unrouted.lane(), WEEK)) {}
    steering().narrow(SHOP, Set.of("B"), null, ANNA);
    commit(typed("B", "b2"), typed("A", "a"));
    while (store().tendUnrouted(unrouted.lane(), WEEK)) {}
    assertThat(db().parked(RelayStore.UNROUTED))
        .extracting(TestDatabase.Parked::content)
        .containsExactly("b2");
  }
}
