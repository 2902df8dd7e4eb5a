package io.posthorn.testkit;

import static io.posthorn.core.inbox.InboxVerdict.DEAD;
import static io.posthorn.core.inbox.InboxVerdict.DUPLICATE;
import static io.posthorn.core.inbox.InboxVerdict.NEW;
import static io.posthorn.core.inbox.InboxVerdict.OUT_OF_ORDER;
import static io.posthorn.core.inbox.InboxVerdict.PARKED;
import static io.posthorn.core.inbox.InboxVerdict.PAUSED;
import static io.posthorn.core.inbox.InboxVerdict.SKIPPED_STALE;
import static io.posthorn.testkit.Moves.REASON;
import static io.posthorn.testkit.Moves.die;
import static io.posthorn.testkit.Moves.retry;
import static io.posthorn.testkit.Moves.sent;
import static io.posthorn.testkit.TestLane.contents;
import static io.posthorn.testkit.TestMessages.key;
import static io.posthorn.testkit.TestMessages.message;
import static io.posthorn.testkit.TestMessages.typed;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.inbox.Consumer;
import io.posthorn.core.inbox.Death;
import io.posthorn.core.inbox.InboxVerdict;
import io.posthorn.core.inbox.Receipt;
import io.posthorn.core.inbox.ReceiptState;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterDetail;
import io.posthorn.core.operate.deadletter.Requeue;
import io.posthorn.core.operate.steering.Scope;
import io.posthorn.core.operate.steering.Steering;
import io.posthorn.core.source.Received;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.MessageStory.Attempt;
import io.posthorn.core.store.Move;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.store.Waiting;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * A message that a consumer cannot handle now waits under the consumer's name, in order, like a
 * message that could not be sent; a relay hands it over.
 */
public abstract class InboxParkingContract extends InboxTopic {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private void store(Received... messages) {
    store(STOCK, messages);
  }

  private List<InboxVerdict> store(Consumer consumer, Received... messages) {
    try (OpenTransaction tx = begin()) {
      List<InboxVerdict> verdicts =
          inbox().store(tx.connection(), consumer, Arrays.asList(messages)).verdicts();
      tx.commit();
      return verdicts;
    }
  }

  private void park(Received message, Duration delay) {
    try (OpenTransaction tx = begin()) {
      inbox().park(tx.connection(), STOCK, message, REASON, delay, 1);
      tx.commit();
    }
  }

  private void bury(Consumer consumer, Received message) {
    try (OpenTransaction tx = begin()) {
      inbox().bury(tx.connection(), consumer, message, REASON);
      tx.commit();
    }
  }

  private ReceiptState state(Received received) {
    List<Receipt> receipts = people().find("*", received.message().id());
    assertThat(receipts).hasSize(1);
    return receipts.get(0).state();
  }

  private static Received handedOver(Delivery delivery) {
    return Received.handedOver(delivery.handedOver(), "log");
  }

  @Test
  void a_stored_message_reaches_its_handler_unchanged_and_is_handled_once() {
    TestLane stock = serveConsumer();
    Received one = sequenced("a", 7);
    store(one, one);
    assertThat(state(one)).isEqualTo(ReceiptState.STORED);
    assertThat(receive(one)).containsExactly(DUPLICATE);
    store(one);
    List<Delivery> parked = stock.parked();
    assertThat(contents(parked)).containsExactly("a7");
    Received back = handedOver(parked.get(0));
    assertThat(back.sender()).isEqualTo(ORDERS);
    assertThat(back.message().sequence()).isEqualTo(7);
    assertThat(back.message().headers()).isEqualTo(one.message().headers());
    assertThat(back.message().occurredAt())
        .isCloseTo(one.message().occurredAt(), within(1, ChronoUnit.MICROS));
    assertThat(handle(back)).containsExactly(NEW);
    assertThat(handle(back)).containsExactly(DUPLICATE);
    stock.settle(sent(parked.get(0)));
    assertThat(db().parked(STOCK.name())).isEmpty();
    assertThat(state(one)).isEqualTo(ReceiptState.HANDLED);
  }

  @Test
  void an_idempotent_consumer_stores_a_message_again_when_it_comes_again_after_it_was_handled() {
    Consumer idempotent = new Consumer(STOCK.name(), false, true, AfterDead.CONTINUE, false);
    TestLane stock = serveConsumer();
    Received one = received(message("1"));
    for (int time = 1; time <= 2; time++) {
      assertThat(store(idempotent, one)).as("time %s", time).containsExactly(PARKED);
      assertThat(store(idempotent, one)).as("while it waits").containsExactly(DUPLICATE);
      List<Delivery> parked = stock.parked();
      assertThat(handle(idempotent, handedOver(parked.get(0)))).containsExactly(NEW);
      assertThat(store(idempotent, one)).as("not settled yet").containsExactly(DUPLICATE);
      assertThat(db().dead(STOCK.name())).isEmpty();
      stock.settle(sent(parked.get(0)));
    }
  }

  @Test
  void stored_messages_of_a_key_are_handed_over_in_order_and_keys_in_parallel() {
    TestLane stock = serveConsumer();
    store(sequenced("a", 1), sequenced("b", 1), sequenced("a", 2), received(message("-")));
    store(sequenced("a", 3));
    assertThat(contents(stock.parked())).containsExactlyInAnyOrder("a1", "b1", "-", "a2", "a3");
    assertThat(contents(stock.parked()).stream().filter(c -> c.startsWith("a")))
        .containsExactly("a1", "a2", "a3");
  }

  @Test
  void a_failed_message_waits_for_its_next_attempt_with_the_first_on_record() {
    TestLane stock = serveConsumer();
    Received one = sequenced("a", 1);
    park(one, MINUTE);
    park(one, MINUTE);
    assertThat(stock.parked()).isEmpty();
    TestDatabase.Parked parked = db().parked(STOCK.name()).get(0);
    assertThat(parked.waiting()).isEqualTo(Waiting.RETRY);
    assertThat(parked.attempts()).isEqualTo(1);
    assertThat(parked.reason()).isEqualTo(REASON.code());
    assertThat(db().attempts(STOCK.name(), one.message().id()))
        .containsExactly(new TestDatabase.Attempt(1, "FAILED", REASON.code(), REASON.text()));
    db().pass(MINUTE);
    assertThat(stock.parked()).hasSize(1);
  }

  @Test
  void messages_behind_a_parked_one_of_their_key_are_parked_and_others_are_not() {
    TestLane stock = serveConsumer();
    park(sequenced("a", 1), MINUTE);
    assertThat(
            receive(
                sequenced("a", 2), sequenced("b", 1), received(message("-")), sequenced("a", 3)))
        .containsExactly(PARKED, NEW, NEW, PARKED);
    assertThat(stock.parked()).isEmpty();
    db().pass(MINUTE);
    assertThat(contents(stock.parked())).containsExactly("a1", "a2", "a3");
  }

  @Test
  void a_message_parked_while_the_one_before_it_is_settled_is_not_lost() {
    TestLane stock = serveConsumer();
    park(sequenced("a", 1), Duration.ZERO);
    Delivery first = stock.parked().get(0);
    try (OpenTransaction tx = begin()) {
      assertThat(inbox().receive(tx.connection(), STOCK, List.of(sequenced("a", 2))).verdicts())
          .containsExactly(PARKED);
      stock.settle(sent(first));
      assertThat(stock.parked()).isEmpty();
      tx.commit();
    }
    assertThat(stock.state().dueIn()).isEqualTo(Duration.ZERO);
    assertThat(store().look(List.of(STOCK.name())).due()).containsExactly(STOCK.name());
    assertThat(contents(stock.parked())).containsExactly("a2");
  }

  @Test
  void thousands_of_messages_behind_a_failing_one_are_read_once() {
    TestLane stock = serveConsumer();
    park(sequenced("a", 1), Duration.ofHours(1));
    List<Received> many = new ArrayList<>();
    for (int i = 2; i < 3_002; i++) {
      many.add(sequenced("a", i));
    }
    receive(many.toArray(new Received[0]));
    store(sequenced("b", 1));
    assertThat(contents(stock.parked())).containsExactly("b1");
    stock.parked();
    assertThat(db().parked(STOCK.name()))
        .filteredOn(
            p ->
                p.waiting() == Waiting.BEHIND || (p.waiting() == Waiting.TURN && p.dueIn() != null))
        .extracting(TestDatabase.Parked::content)
        .containsExactly("b1");
    assertThat(stock.state().dueIn()).isEqualTo(Duration.ZERO);
  }

  @Test
  void a_message_of_a_held_key_is_parked_until_the_key_is_released() {
    TestLane stock = serveConsumer();
    bury(new Consumer(STOCK.name(), false, false, AfterDead.HOLD, false), sequenced("a", 1));
    assertThat(receive(sequenced("a", 2), sequenced("b", 2))).containsExactly(PARKED, NEW);
    assertThat(stock.parked()).isEmpty();
    Steering.on(db().operator()).release(STOCK.name(), key("a"), SOMEBODY);
    assertThat(contents(stock.parked())).containsExactly("a2");
  }

  @Test
  void a_paused_consumer_receives_nothing_and_loses_nothing() {
    serveConsumer();
    Steering people = Steering.on(db().operator());
    Received one = received(message("1"));
    for (Scope scope : List.of(Scope.destination(STOCK.name()), Scope.EVERYTHING)) {
      people.pause(scope, SOMEBODY);
      assertThat(receive(one, one)).containsExactly(PAUSED, PAUSED);
      people.resume(scope, SOMEBODY);
    }
    assertThat(receive(one)).containsExactly(NEW);
  }

  @Test
  void messages_of_a_paused_type_and_those_behind_them_are_parked() {
    TestLane stock = serveConsumer();
    Steering.on(db().operator()).pause(Scope.type("Slow", STOCK.name()), SOMEBODY);
    Received slow =
        received(
            Message.of("Slow")
                .key(TestMessages.AGGREGATE, "a")
                .json("slow".getBytes(UTF_8))
                .build());
    assertThat(receive(sequenced("a", 1), slow, sequenced("a", 2), received(typed("Slow", "-"))))
        .containsExactly(NEW, PARKED, PARKED, PARKED);
    assertThat(contents(stock.parked())).containsExactlyInAnyOrder("slow", "a2", "-");
  }

  @Test
  void messages_of_a_paused_key_are_parked() {
    TestLane stock = serveConsumer();
    Scope scope = Scope.key(key("a"), STOCK.name());
    Steering people = Steering.on(db().operator());
    people.pause(scope, SOMEBODY);
    assertThat(receive(sequenced("a", 1), sequenced("b", 1))).containsExactly(PARKED, NEW);
    assertThat(stock.parked()).isEmpty();
    people.resume(scope, SOMEBODY);
    assertThat(contents(stock.parked())).containsExactly("a1");
  }

  @Test
  void a_message_without_a_handler_waits_for_code_and_no_attempt_counts() {
    TestLane stock = serveConsumer();
    Received one = received(typed("Newer", "1"));
    try (OpenTransaction tx = begin()) {
      inbox().parkUnserved(tx.connection(), STOCK, one, Reason.of(Reason.UNSERVED, "no handler"));
      tx.commit();
    }
    assertThat(db().parked(STOCK.name()))
        .extracting(TestDatabase.Parked::waiting, TestDatabase.Parked::attempts)
        .containsExactly(tuple(Waiting.CODE, 0));
    assertThat(receive(one)).containsExactly(DUPLICATE);
    db().pass(MINUTE);
    assertThat(stock.parked()).hasSize(1);
  }

  @Test
  void a_rejected_message_is_a_dead_letter_like_any_other_and_can_be_corrected() {
    TestLane stock = serveConsumer();
    Received one = sequenced("a", 7);
    bury(STOCK, one);
    bury(STOCK, one);
    TestDatabase.Dead letter = db().dead(STOCK.name()).get(0);
    assertThat(db().dead(STOCK.name())).hasSize(1);
    assertThat(letter.content()).isEqualTo("a7");
    assertThat(letter.reason()).isEqualTo(REASON.code());
    assertThat(letter.attempts()).isEqualTo(1);
    assertThat(db().attempts(STOCK.name(), one.message().id())).hasSize(1);
    assertThat(receive(one)).containsExactly(DUPLICATE);
    requeue(letter.id(), Requeue.SAME.withPayload("corrected".getBytes(UTF_8)));
    Received corrected = handedOver(stock.parked().get(0));
    assertThat(corrected.sender()).isEqualTo(ORDERS);
    assertThat(corrected.message().sequence()).isEqualTo(7);
    assertThat(TestMessages.content(corrected.message())).isEqualTo("corrected");
    assertThat(handle(corrected)).containsExactly(NEW);
    assertThat(handle(corrected)).containsExactly(DUPLICATE);
    assertThat(receive(one)).containsExactly(DUPLICATE);
  }

  private void requeue(UUID letter, Requeue how) {
    assertThat(db().operator().requeue(List.of(letter), how, SOMEBODY).done()).isEqualTo(1);
  }

  @Test
  void the_sender_of_a_message_survives_its_retries_its_dead_letter_and_its_requeue() {
    TestLane stock = serveConsumer();
    store(sequenced("a", 7));
    stock.settle(retry(stock.parked().get(0), 1, Duration.ZERO));
    stock.settle(die(stock.parked().get(0), 2, AfterDead.CONTINUE));
    requeue(db().dead(STOCK.name()).get(0).id(), Requeue.SAME);
    Received back = handedOver(stock.parked().get(0));
    assertThat(back.sender()).isEqualTo(ORDERS);
    assertThat(back.message().sequence()).isEqualTo(7);
  }

  @Test
  void messages_of_two_senders_with_one_id_are_not_lost_when_only_one_can_be_parked() {
    serveConsumer();
    Received one = received(message("1"));
    Received other = from("returns", one.message());
    store(one, other);
    assertThat(db().parked(STOCK.name())).hasSize(1);
    assertThat(db().dead(STOCK.name()))
        .extracting(TestDatabase.Dead::reason)
        .containsExactly(Reason.ID_REUSED);
  }

  @Test
  void a_dead_letter_handled_after_a_younger_message_is_out_of_order() {
    serveConsumer();
    Received one = sequenced("a", 1);
    bury(STOCK, one);
    assertThat(receive(sequenced("a", 2))).containsExactly(NEW);
    assertThat(handle(one)).containsExactly(OUT_OF_ORDER);
  }

  @Test
  void a_relay_buries_its_own_copy_with_a_different_payload() {
    Received one = received(message("1"));
    receive(one);
    assertThat(handle(withPayload(one, "2"))).containsExactly(DEAD);
    assertThat(db().dead(STOCK.name())).isEmpty();
  }

  @Test
  void a_requeued_letter_that_is_stale_shows_its_outcome_and_its_attempt() {
    TestLane stock = serveConsumer();
    for (Requeue how : List.of(Requeue.SAME, Requeue.ONCE)) {
      String key = "key-" + how.once();
      bury(LATEST, sequenced(key, 4));
      UUID letter =
          db().dead(STOCK.name()).stream()
              .filter(dead -> dead.content().startsWith(key))
              .findAny()
              .orElseThrow()
              .id();
      requeue(letter, how);
      Delivery parked = stock.parked().get(0);
      stock.settle(new Move.Sent(parked, true));
      DeadLetterDetail told = db().operator().letter(letter).orElseThrow();
      assertThat(told.letter().outcome()).isEqualTo(DeadLetter.Outcome.SKIPPED_STALE);
      assertThat(told.letter().state()).isEqualTo(DeadLetter.State.REQUEUED);
      assertThat(told.history())
          .extracting(Attempt::outcome)
          .containsExactly("REJECTED", "SKIPPED_STALE");
    }
  }

  @Test
  void every_dead_letter_is_reported_once() {
    serveConsumer();
    Received one = received(message("1"));
    receive(one);
    Received old = aged(Duration.ofDays(32));
    List<Received> batch =
        List.of(
            withPayload(one, "2"),
            old,
            received(message("3")),
            from("mail", message("4")),
            withPayload(one, "5"));
    try (OpenTransaction tx = begin()) {
      assertThat(inbox().receive(tx.connection(), STOCK, batch).deaths())
          .extracting(death -> death.reason().code())
          .containsExactly(Reason.ID_REUSED, Reason.OUT_OF_HORIZON, Reason.ID_REUSED);
      assertThat(inbox().store(tx.connection(), STOCK, batch).deaths()).isEmpty();
      Received stored = received(message("6"));
      inbox().store(tx.connection(), STOCK, List.of(stored));
      Received twin = from("mail", stored.message());
      assertThat(inbox().store(tx.connection(), STOCK, List.of(twin)).deaths())
          .singleElement()
          .satisfies(death -> assertThat(death.message()).isEqualTo(twin));
      Received rejected = received(message("7"));
      assertThat(inbox().bury(tx.connection(), STOCK, rejected, REASON).deaths())
          .containsExactly(new Death(rejected, REASON));
      assertThat(inbox().bury(tx.connection(), STOCK, rejected, REASON).deaths()).isEmpty();
      assertThat(
              inbox()
                  .park(tx.connection(), STOCK, withPayload(one, "8"), REASON, MINUTE, 1)
                  .deaths())
          .hasSize(1);
      tx.commit();
    }
    assertThat(db().dead(STOCK.name())).hasSize(6);
  }

  @Test
  void a_consumer_and_a_destination_cannot_have_one_name() {
    serveConsumer();
    assertThatThrownBy(() -> register(STOCK.name(), "*")).hasMessageContaining("consumer");
  }

  /** After a rebalance: the one before parks a message, and the next one has it in hand, too. */
  @Test
  void a_message_that_comes_while_its_predecessor_is_being_parked_is_parked_behind_it()
      throws Throwable {
    TestLane stock = serveConsumer();
    Received one = sequenced("a", 1);
    Received two = sequenced("a", 2);
    List<InboxVerdict> said = new ArrayList<>();
    try (OpenTransaction before = begin()) {
      inbox().park(before.connection(), STOCK, one, REASON, MINUTE, 1);
      Background next =
          Background.run(() -> said.addAll(receiveAtLast(List.of(one, sequenced("b", 1), two))));
      next.awaitWaiting(db());
      before.commit();
      next.join();
    }
    assertThat(said).containsExactly(DUPLICATE, NEW, PARKED);
    assertThat(state(two)).isEqualTo(ReceiptState.STORED);
    assertThat(receive(two)).containsExactly(DUPLICATE);
    db().pass(MINUTE);
    assertThat(contents(stock.parked())).containsExactly("a1", "a2");
    assertThat(handle(one, two)).containsExactly(NEW, NEW);
  }

  @Test
  void a_replayed_message_is_not_stale_even_if_it_had_to_wait() {
    serveConsumer();
    Received older = sequenced("a", 4);
    receive(LATEST, older, sequenced("a", 5));
    people().replay(STOCK.name(), older.message().id(), SOMEBODY);
    store(older);
    assertThat(state(older)).isEqualTo(ReceiptState.STORED);
    assertThat(handle(LATEST, older)).containsExactly(NEW);
    assertThat(handle(LATEST, older)).containsExactly(DUPLICATE);
    assertThat(state(older)).isEqualTo(ReceiptState.HANDLED);
  }

  @Test
  void with_latest_wins_a_requeued_older_message_is_stale_and_its_receipt_says_so() {
    serveConsumer();
    Received older = sequenced("a", 4);
    bury(LATEST, older);
    receive(LATEST, sequenced("a", 5));
    requeue(db().dead(STOCK.name()).get(0).id(), Requeue.SAME);
    assertThat(handle(LATEST, older)).containsExactly(SKIPPED_STALE);
    assertThat(state(older)).isEqualTo(ReceiptState.SKIPPED_STALE);
    people().replay(STOCK.name(), older.message().id(), SOMEBODY);
    assertThat(handle(LATEST, older)).containsExactly(NEW);
  }

  @Test
  void a_letter_with_the_id_of_another_message_can_only_be_requeued_under_a_new_id() {
    TestLane stock = serveConsumer();
    Received one = received(message("1"));
    bury(STOCK, one);
    assertThat(receive(withPayload(one, "2"))).containsExactly(DEAD);
    UUID letter =
        db().dead(STOCK.name()).stream()
            .filter(dead -> dead.reason().equals(Reason.ID_REUSED))
            .findAny()
            .orElseThrow()
            .id();
    for (Requeue how :
        List.of(Requeue.SAME, Requeue.ONCE, Requeue.SAME.withPayload("3".getBytes(UTF_8)))) {
      assertThat(db().operator().requeue(List.of(letter), how, SOMEBODY).refused().get(letter))
          .contains("new id");
    }
    requeue(letter, Requeue.SAME.withNewId());
    Received other = handedOver(stock.parked().get(0));
    assertThat(other.message().id()).isNotEqualTo(one.message().id());
    assertThat(handle(other)).containsExactly(NEW);
    assertThat(handle(one)).containsExactly(NEW);
  }

  @Test
  void nothing_is_parked_for_an_unregistered_consumer_or_for_a_destination() {
    register("mail", TestMessages.TYPE);
    for (String name : List.of("mail", RelayStore.UNROUTED, "nobody")) {
      Consumer consumer = new Consumer(name, false);
      assertThatThrownBy(() -> store(consumer, received(message("1"))))
          .hasMessageContaining("nothing was parked for \"%s\"".formatted(name));
      assertThatThrownBy(() -> bury(consumer, received(message("2"))))
          .hasMessageContaining("nothing was parked for \"%s\"".formatted(name));
      assertThat(db().parked(name)).isEmpty();
      assertThat(db().dead(name)).isEmpty();
    }
  }
}
