package io.posthorn.testkit;

import static io.posthorn.core.inbox.InboxVerdict.DEAD;
import static io.posthorn.core.inbox.InboxVerdict.DUPLICATE;
import static io.posthorn.core.inbox.InboxVerdict.NEW;
import static io.posthorn.core.inbox.InboxVerdict.OUT_OF_ORDER;
import static io.posthorn.core.inbox.InboxVerdict.SKIPPED_STALE;
import static io.posthorn.testkit.AppendContract.assertRefused;
import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.inbox.Consumer;
import io.posthorn.core.inbox.InboxVerdict;
import io.posthorn.core.inbox.Receipt;
import io.posthorn.core.inbox.ReceiptState;
import io.posthorn.core.message.Message;
import io.posthorn.core.source.Received;
import io.posthorn.core.store.AfterDead;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A received message takes effect once: the receipt is part of the transaction that handles it. */
public abstract class InboxContract extends InboxTopic {
  private static final Duration DAY = Duration.ofDays(1);
  private static final List<String> LEVELS =
      List.of("READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE");

  private ReceiptState state(Received received) {
    List<Receipt> receipts = people().find(STOCK.name(), received.message().id());
    assertThat(receipts).hasSize(1);
    return receipts.get(0).state();
  }

  @Test
  void a_message_that_comes_twice_is_handled_once() {
    Received one = received(message("1"));
    assertThat(receive(one)).containsExactly(NEW);
    assertThat(receive(one)).containsExactly(DUPLICATE);
    assertThat(state(one)).isEqualTo(ReceiptState.HANDLED);
  }

  @Test
  void a_receipt_is_rolled_back_with_the_transaction_that_handled_the_message() {
    Received one = received(message("1"));
    try (OpenTransaction tx = begin()) {
      assertThat(inbox().receive(tx.connection(), STOCK, List.of(one)).verdicts())
          .containsExactly(NEW);
    }
    assertThat(receive(one)).containsExactly(NEW);
  }

  @Test
  void each_consumer_handles_a_message_and_so_do_messages_of_two_senders_with_one_id() {
    Received one = received(message("1"));
    assertThat(receive(one)).containsExactly(NEW);
    assertThat(receive(new Consumer("mail", false), one)).containsExactly(NEW);
    assertThat(receive(from("returns", one.message()))).containsExactly(NEW);
  }

  @Test
  void copies_in_one_batch_are_handled_once() {
    Received one = received(message("1"));
    Received two = received(message("2"));
    assertThat(receive(one, two, one, one)).containsExactly(NEW, NEW, DUPLICATE, DUPLICATE);
  }

  @Test
  void messages_whose_ids_carry_no_time_are_recognised_too() {
    Received one = received(Message.of("T").id(UUID.randomUUID()).build());
    assertThat(receive(one)).containsExactly(NEW);
    assertThat(receive(one)).containsExactly(DUPLICATE);
  }

  @Test
  void another_payload_under_the_id_of_a_handled_message_is_a_dead_letter() {
    Received one = received(message("1"));
    Received other = withPayload(one, "2");
    receive(one);
    assertThat(receive(other)).containsExactly(DEAD);
    assertThat(receive(other)).containsExactly(DEAD);
    assertThat(receive(one)).containsExactly(DUPLICATE);
    TestDatabase.Dead letter = onlyLetter();
    assertThat(letter.reason()).isEqualTo(Reason.ID_REUSED);
    assertThat(letter.content()).isEqualTo("2");
    assertThat(letter.attempts()).isZero();
  }

  @Test
  void another_payload_under_an_id_of_the_same_batch_is_a_dead_letter() {
    Received one = received(message("1"));
    assertThat(receive(one, withPayload(one, "2"), withPayload(one, "3")))
        .containsExactly(NEW, DEAD, DEAD);
    assertThat(db().dead(STOCK.name()))
        .extracting(TestDatabase.Dead::content)
        .containsExactly("2", "3");
  }

  @Test
  void a_copy_of_a_handled_message_after_a_different_payload_is_no_dead_letter() {
    Received one = received(message("1"));
    receive(one);
    assertThat(receive(withPayload(one, "2"), one, withPayload(one, "2")))
        .containsExactly(DEAD, DUPLICATE, DUPLICATE);
    assertThat(onlyLetter().content()).isEqualTo("2");
  }

  private TestDatabase.Dead onlyLetter() {
    List<TestDatabase.Dead> letters = db().dead(STOCK.name());
    assertThat(letters).hasSize(1);
    return letters.get(0);
  }

  @Test
  void a_message_older_than_the_receipts_or_from_the_future_becomes_one_dead_letter() {
    for (Received strange : List.of(aged(DAY.multipliedBy(32)), aged(DAY.multipliedBy(-4)))) {
      assertThat(receive(strange)).containsExactly(DEAD);
      assertThat(receive(strange)).containsExactly(DUPLICATE);
    }
    assertThat(db().dead(STOCK.name()))
        .extracting(TestDatabase.Dead::reason)
        .containsExactly(Reason.OUT_OF_HORIZON, Reason.OUT_OF_HORIZON);
  }

  @Test
  void a_requeued_message_from_outside_the_horizon_is_handled_once() {
    Received old = aged(DAY.multipliedBy(32));
    receive(old);
    assertThat(handle(old)).containsExactly(NEW);
    assertThat(handle(old)).containsExactly(DUPLICATE);
    assertThat(receive(old)).containsExactly(DUPLICATE);
  }

  @Test
  void messages_from_any_day_within_the_horizon_are_handled_once() {
    for (int day = -1; day <= 29; day++) {
      Received one = aged(DAY.multipliedBy(day));
      assertThat(receive(one)).containsExactly(NEW);
      assertThat(receive(one)).containsExactly(DUPLICATE);
    }
  }

  @Test
  void a_message_after_a_younger_one_of_its_key_is_handed_over_as_out_of_order() {
    assertThat(receive(sequenced("a", 5), sequenced("b", 1))).containsExactly(NEW, NEW);
    assertThat(receive(sequenced("a", 4), sequenced("a", 6), sequenced("b", 2)))
        .containsExactly(OUT_OF_ORDER, NEW, NEW);
    assertThat(receive(sequenced("a", 9), sequenced("a", 8))).containsExactly(NEW, OUT_OF_ORDER);
    assertThat(receive(from("returns", keyed("a", "1").withSequence(1)))).containsExactly(NEW);
  }

  @Test
  void with_latest_wins_an_older_message_is_recorded_and_not_handled() {
    receive(LATEST, sequenced("a", 5));
    Received older = sequenced("a", 4);
    assertThat(receive(LATEST, older, sequenced("a", 6))).containsExactly(SKIPPED_STALE, NEW);
    assertThat(state(older)).isEqualTo(ReceiptState.SKIPPED_STALE);
    assertThat(receive(LATEST, older)).containsExactly(DUPLICATE);
  }

  @Test
  void a_rolled_back_sequence_number_makes_nothing_stale() {
    try (OpenTransaction tx = begin()) {
      inbox().receive(tx.connection(), STOCK, List.of(sequenced("a", 5)));
    }
    assertThat(receive(sequenced("a", 4))).containsExactly(NEW);
  }

  @Test
  void a_consumer_that_needs_no_receipts_writes_none() {
    Consumer idempotent = new Consumer(STOCK.name(), false, true, AfterDead.CONTINUE, false);
    Received one = received(message("1"));
    assertThat(receive(idempotent, one, aged(DAY.multipliedBy(50)))).containsExactly(NEW, NEW);
    assertThat(receive(idempotent, one)).containsExactly(NEW);
    assertThat(people().find(STOCK.name(), one.message().id())).isEmpty();
  }

  @Test
  void of_sixteen_concurrent_receivers_one_handles_the_message_at_every_isolation_level()
      throws Throwable {
    for (String level : LEVELS) {
      int before = db().logged().size();
      Received one = sequenced("a", 1);
      List<Background> all = new ArrayList<>();
      for (int i = 0; i < 16; i++) {
        all.add(Background.run(() -> handleWithEffect(level, one)));
      }
      for (Background each : all) {
        each.join();
      }
      assertThat(db().logged()).as(level).hasSize(before + 1);
    }
  }

  /** Receives as a subscription does: a transaction that conflicts is repeated. */
  private void handleWithEffect(String level, Received received) {
    for (int attempt = 0; attempt < 50; attempt++) {
      try (OpenTransaction tx = begin().set("ISOLATION LEVEL " + level)) {
        if (inbox()
            .receive(tx.connection(), STOCK, List.of(received))
            .verdicts()
            .get(0)
            .handled()) {
          tx.add(message("effect"));
        }
        tx.commit();
        return;
      } catch (PosthornException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.TRANSACTION_CONFLICT);
      }
    }
    throw new AssertionError("it never went through");
  }

  @Test
  void a_message_handled_after_the_snapshot_asks_to_repeat_the_transaction() {
    for (String level : LEVELS.subList(1, 3)) {
      Received one = received(message("1"));
      try (OpenTransaction tx = begin().set("ISOLATION LEVEL " + level)) {
        inbox().receive(tx.connection(), STOCK, List.of(received(message("0"))));
        receive(one);
        assertRefused(
            ErrorCode.TRANSACTION_CONFLICT,
            () -> inbox().receive(tx.connection(), STOCK, List.of(one)));
      }
      assertThat(receive(one)).containsExactly(DUPLICATE);
    }
  }

  @Test
  void a_copy_waits_for_the_transaction_that_handles_the_message_for_at_most_two_seconds()
      throws Throwable {
    Received one = received(message("1"));
    try (OpenTransaction first = begin();
        OpenTransaction second = begin();
        OpenTransaction third = begin()) {
      inbox().receive(first.connection(), STOCK, List.of(one));
      long began = System.nanoTime();
      assertRefused(
          ErrorCode.TRANSACTION_CONFLICT,
          () -> inbox().receive(second.connection(), STOCK, List.of(one)));
      assertThat(Duration.ofNanos(System.nanoTime() - began))
          .isBetween(Duration.ofMillis(1900), Duration.ofSeconds(10));
      List<InboxVerdict> verdicts = new ArrayList<>();
      Background copy =
          Background.run(
              () ->
                  verdicts.addAll(
                      inbox().receive(third.connection(), STOCK, List.of(one)).verdicts()));
      copy.awaitWaiting(db());
      first.rollback();
      copy.join();
      assertThat(verdicts).containsExactly(NEW);
    }
  }

  /** Both are stopped half way: if each locked the first of its own order, neither could go on. */
  @Test
  void batches_that_come_in_opposite_orders_wait_for_each_other_and_never_deadlock()
      throws Throwable {
    List<Received> batch = IntStream.range(0, 11).mapToObj(i -> sequenced("k" + i, 1)).toList();
    List<Received> turned = new ArrayList<>(batch);
    Collections.reverse(turned);
    List<InboxVerdict> said = Collections.synchronizedList(new ArrayList<>());
    try (OpenTransaction middle = begin()) {
      inbox().receive(middle.connection(), STOCK, List.of(batch.get(5)));
      Background one = Background.run(() -> said.addAll(receiveAtLast(batch)));
      Background other = Background.run(() -> said.addAll(receiveAtLast(turned)));
      Background.await("both to wait", () -> db().waitingForLocks() >= 2);
      middle.rollback();
      one.join();
      other.join();
    }
    assertThat(Collections.frequency(said, NEW)).isEqualTo(11);
    assertThat(Collections.frequency(said, DUPLICATE)).isEqualTo(11);
  }

  @Test
  void an_application_that_handles_messages_itself_is_told_once_that_a_message_is_new() {
    try (OpenTransaction tx = begin()) {
      assertThat(people().once(tx.connection(), "checkout", "order-77")).isTrue();
      assertThat(people().once(tx.connection(), "checkout", "order-77")).isFalse();
      assertThat(people().once(tx.connection(), "refund", "order-77")).isTrue();
      assertThat(people().once(tx.connection(), "pay", "1", new byte[] {1})).isTrue();
      assertRefused(
          ErrorCode.ID_REUSED, () -> people().once(tx.connection(), "pay", "1", new byte[] {2}));
      String old = aged(DAY.multipliedBy(40)).message().id().toString();
      assertRefused(ErrorCode.OUT_OF_HORIZON, () -> people().once(tx.connection(), "pay", old));
      tx.commit();
    }
    try (OpenTransaction tx = begin()) {
      assertThat(people().once(tx.connection(), "checkout", "order-77")).isFalse();
    }
  }

  @Test
  void asking_whether_a_message_is_new_outside_a_transaction_is_refused() throws SQLException {
    try (var connection = db().dataSource().getConnection()) {
      assertThatThrownBy(() -> people().once(connection, "checkout", "order-77"))
          .isInstanceOf(PosthornException.class)
          .hasMessageContaining("auto-commit");
    }
  }
}
