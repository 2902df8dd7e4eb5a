package io.posthorn.testkit;

import static io.posthorn.testkit.AppendContract.assertRefused;
import static io.posthorn.testkit.TestLane.ALL;
import static io.posthorn.testkit.TestLane.atMost;
import static io.posthorn.testkit.TestLane.contents;
import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static io.posthorn.testkit.TestMessages.typed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.audit.Audit;
import io.posthorn.core.operate.audit.AuditEntry;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.operation.Operation;
import io.posthorn.core.operate.operation.Operations;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.core.operate.restore.Adopt;
import io.posthorn.core.operate.restore.Adoption;
import io.posthorn.core.operate.restore.Restore;
import io.posthorn.core.store.AfterDead;
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
import org.junit.jupiter.api.Test;

/** An adopted database delivers what was undelivered, once and in order, and nothing else. */
public abstract class RestoreContract extends Contract {
  private static final Actor ANNA = new Actor("anna", "the server burnt down");
  private static final Duration GRACE = Duration.ofMinutes(10);

  private Restore restore() {
    return Restore.on(db().operator());
  }

  /** Lets all leases expire, as after a restore. */
  private Adoption adopt(Adopt how) {
    db().pass(LEASE.plusMinutes(1));
    return restore().adopt("production", how, ANNA);
  }

  private void tend() {
    TestLane unrouted = take(RelayStore.UNROUTED);
    for (int i = 0; store().tendUnrouted(unrouted.lane(), GRACE); i++) {
      assertThat(i).isLessThan(50);
    }
  }

  /** All messages that the destination can get now: the parked ones, then those of the log. */
  private List<String> all() {
    TestLane lane = take(SHOP);
    List<String> contents = new ArrayList<>();
    lane.claim(ALL);
    for (List<Delivery> due = lane.parked(); !due.isEmpty(); due = lane.parked()) {
      contents.addAll(contents(due));
      lane.settle(due.stream().map(Move.Sent::new).toArray(Move[]::new));
    }
    contents.addAll(lane.drain());
    store().release(lane.lane());
    return contents;
  }

  private static Adoption.Share shop(Adoption adoption) {
    return adoption.destinations().stream()
        .filter(share -> share.destination().equals(SHOP))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void after_adopting_undelivered_messages_come_once_and_delivered_ones_do_not() {
    TestLane shop = serve(SHOP);
    commit(message("delivered"));
    assertThat(shop.drain()).containsExactly("delivered");
    commit(message("undelivered"));
    assertThat(shop(adopt(Adopt.SEND_UNDELIVERED)).undelivered()).isEqualTo(1);
    assertThat(db().logged()).isEmpty();
    assertThat(all()).containsExactly("undelivered");
    commit(message("new"));
    assertThat(all()).containsExactly("new");
  }

  @Test
  void undelivered_messages_of_a_key_come_in_order_before_later_ones() {
    serve(SHOP);
    commit(keyed("k", "1"));
    commit(keyed("l", "2"), keyed("k", "3"));
    adopt(Adopt.SEND_UNDELIVERED);
    commit(keyed("k", "4"));
    TestLane shop = take(SHOP);
    Batch batch = shop.batch();
    assertThat(batch.blocked()).containsExactlyInAnyOrder(TestMessages.key("k"));
    shop.settle(batch, Moves.turn(only(batch)));
    assertThat(contents(shop.parked())).containsSubsequence("1", "3", "4").hasSize(4);
  }

  @Test
  void only_the_unsettled_rest_of_a_batch_under_way_comes_again() {
    TestLane shop = serve(SHOP);
    commit(message("1"), message("2"), message("3"), message("4"));
    Batch batch = shop.batch();
    List<Long> seqs = batch.deliveries().stream().map(Delivery::seq).toList();
    shop.settle(shop.partly(List.of(batch), seqs.get(0), List.of(seqs.get(2))));
    adopt(Adopt.SEND_UNDELIVERED);
    assertThat(all()).containsExactlyInAnyOrder("2", "4");
  }

  @Test
  void a_transaction_that_was_open_when_the_cursor_passed_is_delivered() {
    TestLane shop = serve(SHOP);
    try (OpenTransaction open = begin().add(message("late"))) {
      commit(message("early"));
      assertThat(shop.drain()).containsExactly("early");
      open.commit();
    }
    assertThat(shop(adopt(Adopt.SEND_UNDELIVERED)).undelivered()).isEqualTo(1);
    assertThat(all()).containsExactly("late");
  }

  @Test
  void adopting_as_sent_delivers_nothing_of_the_log() {
    serve(SHOP);
    commit(message("1"));
    assertThat(shop(adopt(Adopt.AS_SENT)).undelivered()).isEqualTo(1);
    assertThat(all()).isEmpty();
    commit(message("2"));
    assertThat(all()).containsExactly("2");
  }

  @Test
  void adopting_as_sent_makes_dead_letters_of_parked_messages() {
    TestLane shop = serve(SHOP);
    commit(
        keyed("k", "failed"),
        keyed("k", "behind"),
        Message.of("B").notBefore(Instant.now().plus(Duration.ofHours(9))).build());
    Batch batch = shop.batch();
    shop.settle(
        batch,
        Moves.retry(batch.deliveries().get(0), 1, Duration.ZERO),
        Moves.turn(batch.deliveries().get(1)),
        new Move.Park(batch.deliveries().get(2), Waiting.TIME, 0, Duration.ZERO, null));
    commit(typed("Unrouted", "4"));
    assertThat(shop(adopt(Adopt.AS_SENT)).parked()).isEqualTo(3);
    db().pass(Duration.ofHours(10));
    assertThat(all()).isEmpty();
    assertThat(db().parked(SHOP)).isEmpty();
    assertThat(db().operator().letters(DeadLetterQuery.waiting(), null, 10))
        .hasSize(3)
        .allSatisfy(letter -> assertThat(letter.reason()).isEqualTo("ADOPTED"));
  }

  @Test
  void adopting_with_the_same_history_moves_nothing() {
    TestLane shop = serve(SHOP);
    commit(message("1"));
    assertThat(shop.drain()).containsExactly("1");
    commit(message("2"));
    adopt(Adopt.SAME_HISTORY);
    assertThat(db().logged()).hasSize(2);
    assertThat(db().parked(SHOP)).isEmpty();
    assertThat(all()).containsExactly("2");
    store().verify("production");
  }

  @Test
  void each_destination_gets_its_types_only() {
    register(SHOP, "A");
    register("other", "B");
    commit(typed("A", "1"), typed("B", "2"), typed("C", "3"));
    adopt(Adopt.SEND_UNDELIVERED);
    assertThat(db().parked(SHOP)).extracting(TestDatabase.Parked::content).containsExactly("1");
    assertThat(db().parked("other")).extracting(TestDatabase.Parked::content).containsExactly("2");
    assertThat(db().parked(RelayStore.UNROUTED))
        .extracting(TestDatabase.Parked::content)
        .containsExactly("3");
    commit(typed("A", "4"));
    assertThat(all()).containsExactly("1", "4");
  }

  @Test
  void a_message_without_a_route_waits_for_one_and_is_delivered_once() {
    commit(typed("B", "1"));
    adopt(Adopt.SEND_UNDELIVERED);
    register(SHOP, "B");
    tend();
    assertThat(all()).containsExactly("1");
    db().pass(GRACE);
    tend();
    assertThat(all()).isEmpty();
    assertThat(db().dead(RelayStore.UNROUTED)).isEmpty();
  }

  @Test
  void a_message_that_waited_for_its_route_goes_before_later_ones_of_its_key() {
    commit(keyed("k", "before the route"));
    register(SHOP, TestMessages.TYPE);
    commit(keyed("k", "after the route"));
    adopt(Adopt.SEND_UNDELIVERED);
    assertThat(all()).containsExactly("before the route", "after the route");
  }

  @Test
  void parked_and_dead_messages_stay_so_and_go_before_the_rest_of_their_key() {
    TestLane shop = serve(SHOP);
    commit(keyed("k", "failed"), keyed("d", "dead"));
    Batch batch = shop.batch();
    shop.settle(
        batch,
        Moves.retry(batch.deliveries().get(0), 1, Duration.ZERO),
        Moves.die(batch.deliveries().get(1), 1, AfterDead.CONTINUE));
    commit(keyed("k", "behind"));
    Adoption found = adopt(Adopt.SEND_UNDELIVERED);
    assertThat(shop(found).parked()).isEqualTo(1);
    assertThat(shop(found).dead()).isEqualTo(1);
    assertThat(db().dead(SHOP)).hasSize(1);
    assertThat(all()).containsExactly("failed", "behind");
  }

  @Test
  void a_scheduled_message_still_waits_for_its_time() {
    serve(SHOP);
    commit(Message.of("B").notBefore(Instant.now().plus(Duration.ofHours(9))).build());
    adopt(Adopt.SEND_UNDELIVERED);
    assertThat(all()).isEmpty();
    assertThat(db().parked(SHOP).get(0).waiting()).isEqualTo(Waiting.TIME);
  }

  @Test
  void adopting_again_loses_and_duplicates_nothing() {
    serve(SHOP);
    commit(keyed("k", "1"));
    adopt(Adopt.SEND_UNDELIVERED);
    commit(keyed("k", "2"));
    adopt(Adopt.SEND_UNDELIVERED);
    adopt(Adopt.SEND_UNDELIVERED);
    commit(keyed("l", "3"));
    assertThat(all()).containsExactly("1", "2", "3");
  }

  @Test
  void adopting_is_refused_while_a_relay_is_running() {
    TestLane shop = serve(SHOP);
    commit(message("1"));
    assertThat(restore().preview().relays()).containsExactly("relay");
    assertRefused(
        ErrorCode.RELAYS_RUNNING, () -> restore().adopt("staging", Adopt.SEND_UNDELIVERED, ANNA));
    assertThatThrownBy(() -> restore().adopt("staging", Adopt.SAME_HISTORY, ANNA))
        .hasMessageContaining("relay");
    assertThat(shop.drain()).containsExactly("1");
  }

  @Test
  void a_relay_from_before_the_adoption_settles_nothing_afterwards() {
    TestLane shop = serve(SHOP);
    commit(message("1"));
    Batch batch = shop.batch(atMost(1));
    adopt(Adopt.SEND_UNDELIVERED);
    assertThatThrownBy(() -> shop.settle(batch)).isInstanceOf(LaneLostException.class);
    assertThat(all()).containsExactly("1");
  }

  @Test
  void a_preview_shows_what_would_be_delivered_and_changes_nothing() {
    store().verify("production");
    TestLane shop = serve(SHOP);
    commit(message("1"));
    shop.drain();
    commit(message("2"), message("3"));
    Adoption found = restore().preview();
    assertThat(found.environment()).isEqualTo("production");
    assertThat(found.server()).isEqualTo(found.actualServer());
    assertThat(shop(found).undelivered()).isEqualTo(2);
    assertThat(shop(found).oldest()).isBefore(shop(found).newest());
    assertThat(shop.drain()).containsExactly("2", "3");
    assertThat(shop(restore().preview()).undelivered()).isZero();
  }

  @Test
  void adopting_is_audited_and_gives_the_database_its_name() {
    store().verify("production");
    serve(SHOP);
    commit(message("1"));
    db().pass(LEASE.plusMinutes(1));
    restore().adopt("staging", Adopt.SEND_UNDELIVERED, ANNA);
    store().verify("staging");
    assertRefused(ErrorCode.ENVIRONMENT_DIFFERS, () -> store().verify("production"));
    AuditEntry entry = Audit.on(db().operator()).after(0, 10).get(0);
    assertThat(entry.action()).isEqualTo("restore.adopt");
    assertThat(entry.who()).isEqualTo("anna");
    assertThat(entry.before()).contains("production");
    assertThat(entry.after()).contains("send undelivered", "shop 1");
  }

  @Test
  void an_environment_needs_a_name_that_is_not_a_fence() {
    assertRefused(
        ErrorCode.INVALID_REQUEST, () -> restore().adopt(" ", Adopt.SEND_UNDELIVERED, ANNA));
    assertRefused(
        ErrorCode.INVALID_REQUEST,
        () -> restore().adopt("fenced: x", Adopt.SEND_UNDELIVERED, ANNA));
  }

  @Test
  void a_fenced_database_sends_nothing_until_it_is_adopted() {
    store().verify("production");
    TestLane shop = serve(SHOP);
    commit(message("1"));
    Batch batch = shop.batch();
    assertThat(restore().fence(ANNA)).isTrue();
    assertThat(restore().fence(ANNA)).isFalse();
    assertThatThrownBy(() -> shop.settle(batch)).isInstanceOf(LaneLostException.class);
    for (String environment : List.of("production", "staging", "fenced: production")) {
      assertRefused(ErrorCode.ENVIRONMENT_DIFFERS, () -> store().verify(environment));
    }
    assertThatThrownBy(() -> store().verify("staging"))
        .hasMessageContaining("posthorn adopt --environment staging --as-sent");
    assertThat(Audit.on(db().operator()).after(0, 10))
        .extracting(AuditEntry::action)
        .containsExactly("restore.fence");
    restore().adopt("staging", Adopt.SAME_HISTORY, ANNA);
    store().verify("staging");
    assertThat(all()).containsExactly("1");
  }

  @Test
  void operations_that_ran_in_the_original_are_stopped_in_the_copy() {
    TestLane shop = serve(SHOP);
    commit(message("1"));
    Batch batch = shop.batch();
    shop.settle(batch, Moves.die(batch.deliveries().get(0), 1, AfterDead.CONTINUE));
    Operation started =
        Operations.on(db().operator()).start(Plan.requeue(DeadLetterQuery.waiting()), ANNA);
    adopt(Adopt.AS_SENT);
    assertThat(store().runOperations()).isEmpty();
    Operation stopped = db().operator().operation(started.id()).orElseThrow();
    assertThat(stopped.state()).isEqualTo(Operation.State.STOPPED);
    assertThat(stopped.note()).contains("adopted");
  }
}
