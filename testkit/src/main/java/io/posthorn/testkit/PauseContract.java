package io.posthorn.testkit;

import static io.posthorn.testkit.Moves.die;
import static io.posthorn.testkit.Moves.park;
import static io.posthorn.testkit.Moves.retry;
import static io.posthorn.testkit.Moves.turn;
import static io.posthorn.testkit.TestLane.ALL;
import static io.posthorn.testkit.TestLane.contents;
import static io.posthorn.testkit.TestMessages.TYPE;
import static io.posthorn.testkit.TestMessages.key;
import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import io.posthorn.core.message.Message;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.audit.Audit;
import io.posthorn.core.operate.audit.AuditEntry;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.operate.deadletter.Requeue;
import io.posthorn.core.operate.steering.DestinationStatus;
import io.posthorn.core.operate.steering.ParkedMessage;
import io.posthorn.core.operate.steering.Pause;
import io.posthorn.core.operate.steering.Scope;
import io.posthorn.core.operate.steering.Steering;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Move;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.store.Waiting;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A person can pause and resume everything, a type or a key. */
public abstract class PauseContract extends Contract {
  private static final Actor ANNA = new Actor("anna", "the receiver asked for it");
  private static final String MAIL = "mail";
  private static final Scope TYPE_OF_SHOP = Scope.type(TYPE, SHOP);
  private static final Scope KEY_OF_SHOP = Scope.key(key("k"), SHOP);

  private Steering steering() {
    return Steering.on(db().operator());
  }

  private DestinationStatus status() {
    return steering().destinations().stream()
        .filter(status -> status.name().equals(SHOP))
        .findFirst()
        .orElseThrow();
  }

  private static Move paused(Delivery delivery) {
    return park(delivery, Waiting.PAUSED, 0, Duration.ZERO);
  }

  @Test
  void pausing_and_resuming_everything_leaves_each_destination_as_it_was() {
    TestLane shop = serve(SHOP);
    TestLane mail = serve(MAIL);
    commit(message("1"));
    steering().pause(MAIL, ANNA);
    assertThat(steering().pause(Scope.EVERYTHING, ANNA)).isTrue();
    assertThat(steering().pause(Scope.EVERYTHING, ANNA)).as("again").isFalse();
    assertThat(shop.claim(ALL).batch()).isNull();
    assertThat(shop.state().paused()).isTrue();
    assertThat(status().pause()).extracting(Pause::scope).isEqualTo(Scope.EVERYTHING);
    assertThat(steering().resume(Scope.EVERYTHING, ANNA)).isTrue();
    assertThat(shop.drain()).containsExactly("1");
    assertThat(mail.claim(ALL).state().paused()).isTrue();
  }

  @Test
  void messages_without_a_route_cannot_be_paused() {
    assertThatThrownBy(() -> steering().pause(RelayStore.UNROUTED, ANNA))
        .hasMessageContaining("not a receiver");
  }

  @Test
  void a_destination_registered_while_everything_is_paused_gets_nothing() {
    steering().pause(Scope.EVERYTHING, ANNA);
    TestLane shop = serve(SHOP);
    commit(message("1"));
    assertThat(shop.claim(ALL).batch()).isNull();
    steering().resume(Scope.EVERYTHING, ANNA);
    assertThat(shop.drain()).containsExactly("1");
  }

  @Test
  void a_claim_returns_the_paused_types_and_keys_of_its_destination() {
    TestLane shop = serve(SHOP);
    TestLane mail = serve(MAIL);
    steering().pause(Scope.type("A"), ANNA);
    steering().pause(Scope.type("A", SHOP), ANNA);
    steering().pause(Scope.type("B", SHOP), ANNA);
    steering().pause(KEY_OF_SHOP, ANNA);
    assertThat(shop.state().steered().types()).containsExactlyInAnyOrder("A", "B");
    assertThat(shop.state().steered().keys()).containsExactly(key("k"));
    assertThat(shop.state().paused()).isFalse();
    assertThat(mail.state().steered().types()).containsExactly("A");
    assertThat(mail.state().steered().keys()).isEmpty();
    assertThat(status().pausedTypes()).containsExactlyInAnyOrder("A", "B");
    assertThat(status().pausedKeys()).isEqualTo(1);
    assertThat(takeOver(SHOP).state().steered().types()).containsExactlyInAnyOrder("A", "B");
  }

  @Test
  void a_relay_that_only_looks_sees_that_the_steering_changed() {
    TestLane shop = serve(SHOP);
    UUID before = shop.state().steered().id();
    assertThat(store().look(Set.of(SHOP)).steered()).containsEntry(SHOP, before);
    for (Scope scope : List.of(Scope.EVERYTHING, Scope.type("A"), TYPE_OF_SHOP, KEY_OF_SHOP)) {
      steering().pause(scope, ANNA);
      UUID paused = store().look(Set.of(SHOP)).steered().get(SHOP);
      steering().resume(scope, ANNA);
      UUID resumed = store().look(Set.of(SHOP)).steered().get(SHOP);
      assertThat(Set.of(before, paused, resumed)).as("ids of %s", scope).hasSize(3);
      before = resumed;
    }
    steering().limit(SHOP, 5.0, ANNA);
    assertThat(store().look(Set.of(SHOP)).steered()).doesNotContainEntry(SHOP, before);
    assertThat(store().steered(shop.lane()).ratePerSecond()).isEqualTo(5.0);
  }

  @Test
  void messages_parked_for_a_paused_type_go_on_in_order_when_it_is_resumed() {
    TestLane shop = serve(SHOP);
    steering().pause(TYPE_OF_SHOP, ANNA);
    commit(keyed("k", "1"), keyed("k", "2"), message("3"));
    Batch batch = shop.batch();
    List<Delivery> all = batch.deliveries();
    shop.settle(batch, paused(all.get(0)), turn(all.get(1)), paused(all.get(2)));
    assertThat(shop.parked()).isEmpty();
    assertThat(shop.state().dueIn()).isNull();
    assertThat(steering().parked(SHOP, null, 10))
        .extracting(ParkedMessage::waiting)
        .containsOnly(Waiting.PAUSED);
    commit(keyed("k", "4"));
    Batch later = shop.batch();
    assertThat(later.blocked()).containsExactly(key("k"));
    shop.settle(later, turn(only(later)));
    steering().resume(TYPE_OF_SHOP, ANNA);
    assertThat(contents(shop.parked())).containsExactlyInAnyOrder("1", "2", "3", "4");
    assertThat(contents(shop.parked()).stream().filter(c -> !c.equals("3")))
        .containsExactly("1", "2", "4");
  }

  @Test
  void a_settle_after_the_resume_leaves_nothing_behind() {
    TestLane shop = serve(SHOP);
    steering().pause(TYPE_OF_SHOP, ANNA);
    commit(keyed("k", "1"), message("2"));
    Batch batch = shop.batch();
    steering().resume(TYPE_OF_SHOP, ANNA);
    shop.settle(batch, paused(batch.deliveries().get(0)), paused(batch.deliveries().get(1)));
    assertThat(contents(shop.parked())).containsExactlyInAnyOrder("1", "2");
  }

  @Test
  void a_type_that_is_paused_twice_goes_on_when_both_are_resumed() {
    TestLane shop = serve(SHOP);
    steering().pause(TYPE_OF_SHOP, ANNA);
    steering().pause(Scope.type(TYPE), ANNA);
    commit(message("1"));
    Batch batch = shop.batch();
    shop.settle(batch, paused(only(batch)));
    assertThat(steering().resume(Scope.type(TYPE), ANNA)).isTrue();
    assertThat(shop.parked()).isEmpty();
    assertThat(steering().resume(TYPE_OF_SHOP, ANNA)).isTrue();
    assertThat(contents(shop.parked())).containsExactly("1");
  }

  @Test
  void all_parked_messages_go_on_at_the_resume_however_many_they_are() {
    TestLane shop = serve(SHOP);
    steering().pause(Scope.type(TYPE), ANNA);
    int count = 2_500;
    Message[] messages = new Message[count];
    for (int i = 0; i < count; i++) {
      messages[i] = message("m" + i);
    }
    commit(messages);
    Batch batch = shop.batch();
    shop.settle(batch, batch.deliveries().stream().map(d -> paused(d)).toArray(Move[]::new));
    steering().resume(Scope.type(TYPE), ANNA);
    assertThat(shop.parked()).hasSize(count);
  }

  @Test
  void a_purge_wakes_nothing_that_is_paused() {
    TestLane shop = serve(SHOP);
    steering().pause(TYPE_OF_SHOP, ANNA);
    steering().pause(KEY_OF_SHOP, ANNA);
    commit(message("1"), keyed("k", "2"));
    Batch batch = shop.batch();
    shop.settle(batch, paused(batch.deliveries().get(0)), turn(batch.deliveries().get(1)));
    store().purge(Duration.ofDays(7));
    assertThat(db().parked(SHOP)).extracting(TestDatabase.Parked::dueIn).containsOnlyNulls();
    steering().resume(TYPE_OF_SHOP, ANNA);
    steering().resume(KEY_OF_SHOP, ANNA);
    assertThat(contents(shop.parked())).containsExactlyInAnyOrder("1", "2");
  }

  @Test
  void a_paused_key_queues_up_and_goes_on_in_order() {
    TestLane shop = serve(SHOP);
    commit(keyed("k", "1"));
    Batch first = shop.batch();
    shop.settle(first, retry(only(first), 1, Duration.ZERO));
    assertThat(steering().pause(KEY_OF_SHOP, ANNA)).isTrue();
    assertThat(shop.parked()).as("also what is parked already").isEmpty();
    commit(keyed("k", "2"), keyed("l", "3"));
    Batch batch = shop.batch();
    assertThat(batch.blocked()).containsExactly(key("k"));
    shop.settle(batch, turn(batch.deliveries().get(0)));
    assertThat(shop.parked()).isEmpty();
    assertThat(steering().parked(SHOP, null, 10))
        .extracting(ParkedMessage::keyPaused, ParkedMessage::held)
        .containsExactly(tuple(true, false));
    assertThat(steering().resume(KEY_OF_SHOP, ANNA)).isTrue();
    assertThat(contents(shop.parked())).containsExactly("1", "2");
  }

  @Test
  void a_paused_key_without_parked_messages_is_blocked_too() {
    TestLane shop = serve(SHOP);
    steering().pause(KEY_OF_SHOP, ANNA);
    commit(keyed("k", "1"));
    Batch batch = shop.batch();
    assertThat(batch.blocked()).containsExactly(key("k"));
    shop.settle(batch, turn(only(batch)));
    steering().resume(KEY_OF_SHOP, ANNA);
    assertThat(contents(shop.parked())).containsExactly("1");
  }

  @Test
  void a_rescue_or_a_release_does_not_end_the_pause_of_a_key() {
    TestLane shop = serve(SHOP);
    commit(keyed("k", "1"), keyed("k", "2"));
    Batch batch = shop.batch();
    List<Delivery> all = batch.deliveries();
    shop.settle(batch, die(all.get(0), 1, AfterDead.HOLD), turn(all.get(1)));
    steering().pause(KEY_OF_SHOP, ANNA);
    DeadLetters letters = DeadLetters.on(db().operator());
    UUID letter = db().dead(SHOP).get(0).id();
    assertThat(letters.requeue(List.of(letter), Requeue.SAME, ANNA).done()).isEqualTo(1);
    assertThat(steering().release(SHOP, key("k"), ANNA)).as("its letter is gone").isFalse();
    assertThat(shop.parked()).isEmpty();
    steering().resume(KEY_OF_SHOP, ANNA);
    assertThat(contents(shop.parked())).containsExactly("1", "2");
  }

  @Test
  void the_end_of_a_pause_does_not_release_a_key_that_a_letter_holds() {
    TestLane shop = serve(SHOP);
    steering().pause(KEY_OF_SHOP, ANNA);
    commit(keyed("k", "1"), keyed("k", "2"));
    Batch batch = shop.batch();
    List<Delivery> all = batch.deliveries();
    shop.settle(batch, die(all.get(0), 1, AfterDead.HOLD), turn(all.get(1)));
    assertThat(status().heldKeys()).isEqualTo(1);
    steering().resume(KEY_OF_SHOP, ANNA);
    assertThat(shop.parked()).isEmpty();
    steering().release(SHOP, key("k"), ANNA);
    assertThat(contents(shop.parked())).containsExactly("2");
  }

  @Test
  void every_pause_is_listed_and_audited_with_its_actor_and_reason() {
    serve(SHOP);
    steering().pause(Scope.EVERYTHING, ANNA);
    steering().pause(TYPE_OF_SHOP, ANNA);
    steering().pause(KEY_OF_SHOP, ANNA);
    assertThat(steering().pauses(10))
        .extracting(Pause::scope)
        .containsExactly(Scope.EVERYTHING, TYPE_OF_SHOP, KEY_OF_SHOP);
    steering().resume(KEY_OF_SHOP, new Actor("bert", "it is fixed"));
    List<AuditEntry> audit = Audit.on(db().operator()).after(0, 10);
    assertThat(audit)
        .extracting(AuditEntry::action)
        .containsExactly("all.pause", "type.pause", "key.pause", "key.resume");
    AuditEntry last = audit.get(3);
    assertThat(last.target()).contains(key("k").toString(), SHOP);
    assertThat(last.before()).contains("anna", ANNA.why());
    assertThat(last.after()).isEqualTo("running");
  }
}
