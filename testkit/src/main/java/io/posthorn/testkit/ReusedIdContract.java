package io.posthorn.testkit;

import static io.posthorn.testkit.Moves.park;
import static io.posthorn.testkit.Moves.retry;
import static io.posthorn.testkit.Moves.sent;
import static io.posthorn.testkit.Moves.turn;
import static io.posthorn.testkit.TestLane.ALL;
import static io.posthorn.testkit.TestLane.atMost;
import static io.posthorn.testkit.TestLane.contents;
import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.typed;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.operate.deadletter.Requeue;
import io.posthorn.core.operate.restore.Adopt;
import io.posthorn.core.operate.restore.Restore;
import io.posthorn.core.operate.steering.ParkedMessage;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Move;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.store.Settlement;
import io.posthorn.core.store.Waiting;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Two messages of the log may have one id: a program changed a message and added it again. Only one
 * of an id can be parked for a destination; the other one is a dead letter then, and never lost.
 */
public abstract class ReusedIdContract extends Contract {
  private static final Actor ANNA = new Actor("anna", "a test");
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration GRACE = Duration.ofMinutes(10);

  private final Message first = keyed("k", "1");
  private final Message second = first.withPayload("2".getBytes(UTF_8));

  /** Each message of the log is in one place: with the destination, parked, or dead. */
  private void assertNoneIsLost(String destination, int sent) {
    assertThat(db().parked(destination).size() + db().dead(destination).size() + sent)
        .as("sent, parked and dead")
        .isEqualTo(db().logged().size());
  }

  private void assertFirstIsParkedAndSecondDead(String destination) {
    assertThat(db().parked(destination))
        .extracting(TestDatabase.Parked::content)
        .containsExactly("1");
    assertThat(db().dead(destination))
        .singleElement()
        .satisfies(
            dead -> {
              assertThat(dead.content()).isEqualTo("2");
              assertThat(dead.messageId()).isEqualTo(first.id());
              assertThat(dead.reason()).isEqualTo(Reason.ID_REUSED);
              assertThat(dead.error()).contains(destination).contains("new id");
            });
  }

  @Test
  void of_two_messages_with_one_id_that_fail_in_one_batch_one_is_parked_and_one_is_dead() {
    TestLane shop = serve(SHOP);
    commit(first, second, keyed("k", "3"), keyed("l", "4"));
    Batch batch = shop.batch();
    List<Delivery> four = batch.deliveries();
    shop.settle(
        batch, retry(four.get(0), 1, MINUTE), retry(four.get(1), 1, MINUTE), turn(four.get(2)));
    assertThat(db().parked(SHOP))
        .extracting(TestDatabase.Parked::content)
        .containsExactly("1", "3");
    assertThat(db().dead(SHOP))
        .extracting(TestDatabase.Dead::reason)
        .containsExactly(Reason.ID_REUSED);
    assertNoneIsLost(SHOP, 1);
  }

  @Test
  void of_two_messages_with_one_id_that_fail_one_after_the_other_one_is_parked_and_one_is_dead() {
    TestLane shop = serve(SHOP);
    commit(first, second);
    Batch one = shop.batch(atMost(1));
    shop.settle(one, retry(only(one), 1, MINUTE));
    Batch two = shop.batch();
    shop.settle(two, turn(only(two)));
    assertFirstIsParkedAndSecondDead(SHOP);
    assertNoneIsLost(SHOP, 0);
  }

  @Test
  void a_repeated_settle_makes_no_second_letter_for_a_reused_id() {
    TestLane shop = serve(SHOP);
    commit(first, second);
    Batch batch = shop.batch();
    List<Delivery> both = batch.deliveries();
    Settlement settlement =
        shop.settlement(
            List.of(batch), retry(both.get(0), 1, MINUTE), retry(both.get(1), 1, MINUTE));
    shop.settle(settlement);
    shop.settle(settlement);
    assertFirstIsParkedAndSecondDead(SHOP);
  }

  @Test
  void a_late_answer_for_one_message_does_not_settle_another_with_its_id() {
    TestLane shop = serve(SHOP);
    commit(first, second);
    Batch batch = shop.batch();
    List<Delivery> both = batch.deliveries();
    shop.settle(batch, retry(both.get(0), 1, MINUTE), park(both.get(1), Waiting.ANSWER, 0, MINUTE));
    Delivery late = both.get(1).asParked();
    shop.settle(sent(late));
    shop.settle(retry(late, 5, GRACE));
    shop.settle(Moves.die(late, 9, AfterDead.CONTINUE));
    shop.settle(new Move.Forget(late));
    shop.settle(new Move.Bury(late, 9, Moves.REASON, AfterDead.HOLD));
    assertFirstIsParkedAndSecondDead(SHOP);
    assertThat(db().parked(SHOP).get(0).attempts()).isEqualTo(1);
    assertThat(db().operator().parked(SHOP, null, 10)).noneMatch(ParkedMessage::held);
  }

  @Test
  void of_two_spilled_messages_with_one_id_one_is_parked_and_one_is_dead() {
    serve(SHOP);
    commit(first, second);
    store().spill(SHOP, ANNA);
    assertFirstIsParkedAndSecondDead(SHOP);
  }

  @Test
  void of_two_messages_without_a_route_with_one_id_one_is_parked_and_one_is_dead() {
    TestLane unrouted = take(RelayStore.UNROUTED);
    commit(first, second);
    tend(unrouted);
    assertFirstIsParkedAndSecondDead(RelayStore.UNROUTED);
  }

  @Test
  void of_two_late_messages_without_a_route_with_one_id_one_is_parked_and_one_is_dead() {
    TestLane unrouted = take(RelayStore.UNROUTED);
    try (OpenTransaction late = begin().add(first, second)) {
      commit(keyed("k", "3"));
      tend(unrouted);
      late.commit();
    }
    tend(unrouted);
    assertThat(db().parked(RelayStore.UNROUTED)).hasSize(2);
    assertThat(db().dead(RelayStore.UNROUTED))
        .extracting(TestDatabase.Dead::content, TestDatabase.Dead::reason)
        .containsExactly(tuple("2", Reason.ID_REUSED));
  }

  @Test
  void a_message_handed_to_a_destination_that_parked_another_with_its_id_is_dead_there() {
    register(SHOP, TestMessages.TYPE);
    TestLane shop = take(SHOP);
    TestLane unrouted = take(RelayStore.UNROUTED);
    Message other = typed("Other", "2");
    commit(
        first,
        new Message(
            first.id(),
            false,
            other.type(),
            1,
            null,
            other.payload(),
            other.contentType(),
            other.headers(),
            other.occurredAt(),
            null));
    Batch batch = shop.batch();
    shop.settle(batch, retry(only(batch), 1, MINUTE));
    tend(unrouted);
    register(SHOP, "Other");
    tend(unrouted);
    db().pass(GRACE.plusMinutes(1));
    tend(unrouted);
    assertFirstIsParkedAndSecondDead(SHOP);
    assertThat(db().parked(RelayStore.UNROUTED)).isEmpty();
    assertNoneIsLost(SHOP, 0);
  }

  @Test
  void of_two_adopted_messages_with_one_id_one_is_parked_and_one_is_dead() {
    serve(SHOP);
    commit(first, second);
    db().pass(LEASE.plusMinutes(1));
    Restore.on(db().operator()).adopt("production", Adopt.SEND_UNDELIVERED, ANNA);
    assertThat(db().logged()).isEmpty();
    assertFirstIsParkedAndSecondDead(SHOP);
  }

  @Test
  void a_message_that_is_dead_for_its_reused_id_can_be_sent_under_a_new_id() {
    TestLane shop = serve(SHOP);
    commit(first, second);
    store().spill(SHOP, ANNA);
    TestLane next = takeOver(SHOP);
    DeadLetter letter = db().operator().letters(DeadLetterQuery.waiting(), null, 10).get(0);
    DeadLetters letters = DeadLetters.on(db().operator());
    assertThat(letters.requeue(List.of(letter.id()), Requeue.SAME, ANNA).done()).isZero();
    assertThat(letters.requeue(List.of(letter.id()), Requeue.SAME.withNewId(), ANNA).done())
        .isEqualTo(1);
    next.claim(ALL);
    assertThat(contents(next.parked())).containsExactly("1", "2");
    assertThat(shop.lane().destination()).isEqualTo(SHOP);
  }

  private void tend(TestLane unrouted) {
    for (int i = 0; store().tendUnrouted(unrouted.lane(), GRACE); i++) {
      assertThat(i).isLessThan(50);
    }
  }
}
