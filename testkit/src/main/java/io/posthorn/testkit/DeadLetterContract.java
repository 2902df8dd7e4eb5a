package io.posthorn.testkit;

import static io.posthorn.testkit.Moves.die;
import static io.posthorn.testkit.Moves.retry;
import static io.posthorn.testkit.Moves.sent;
import static io.posthorn.testkit.Moves.turn;
import static io.posthorn.testkit.TestLane.contents;
import static io.posthorn.testkit.TestMessages.key;
import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.LaneLostException;
import io.posthorn.core.store.Move;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/**
 * A dead letter keeps all that a person needs, and its key goes on or is held, as its type is
 * configured.
 */
public abstract class DeadLetterContract extends Contract {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static Message full() {
    return Message.of("OrderPlaced")
        .schemaVersion(3)
        .key("Order", "o-1")
        .payload("content".getBytes(StandardCharsets.UTF_8), "text/plain")
        .correlationId("c-1")
        .header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        .occurredAt(Instant.parse("2024-02-29T23:59:59.123456Z"))
        .build();
  }

  private static void assertComplete(TestDatabase.Dead dead, Message message, long seq) {
    assertThat(dead.id()).isNotEqualTo(message.id());
    assertThat(dead.messageId()).isEqualTo(message.id());
    assertThat(dead.type()).isEqualTo("OrderPlaced");
    assertThat(dead.schemaVersion()).isEqualTo(3);
    assertThat(dead.key()).isEqualTo(message.key());
    assertThat(dead.content()).isEqualTo("content");
    assertThat(dead.contentType()).isEqualTo("text/plain");
    assertThat(dead.headers()).isEqualTo(message.headers()).isNotEqualTo(Map.of());
    assertThat(dead.cipherKey()).isEqualTo("key-1");
    assertThat(dead.occurredAt()).isEqualTo(message.occurredAt());
    assertThat(dead.seq()).isEqualTo(seq);
    assertThat(dead.lastReason()).isEqualTo(Moves.REASON.code());
    assertThat(dead.error()).isEqualTo(Moves.REASON.text());
    assertThat(dead.stack()).isEqualTo(Moves.REASON.stack());
    assertThat(dead.createdAt()).isCloseTo(Instant.now(), Assertions.within(1, ChronoUnit.MINUTES));
  }

  private void commitFull(Message message) {
    try (OpenTransaction tx = begin()) {
      store().append(tx.connection(), List.of(message), List.of("key-1"), false);
      tx.commit();
    }
  }

  @Test
  void a_message_rejected_at_once_leaves_a_complete_dead_letter() {
    TestLane shop = serve(SHOP);
    Message message = full();
    commitFull(message);
    Batch batch = shop.batch();
    shop.settle(
        batch,
        new Move.Die(only(batch), 1, Reason.VALIDATION_ERROR, Moves.REASON, AfterDead.CONTINUE));
    TestDatabase.Dead dead = db().dead(SHOP).get(0);
    assertComplete(dead, message, only(batch).seq());
    assertThat(dead.reason()).isEqualTo(Reason.VALIDATION_ERROR);
    assertThat(dead.attempts()).isEqualTo(1);
    assertThat(dead.recordedAt()).isEqualTo(only(batch).recordedAt());
    assertThat(dead.lastFailedAt()).isAfterOrEqualTo(dead.firstFailedAt());
    assertThat(db().attempts(SHOP, message.id()))
        .containsExactly(
            new TestDatabase.Attempt(1, "REJECTED", Moves.REASON.code(), Moves.REASON.text()));
  }

  @Test
  void a_message_out_of_attempts_leaves_a_complete_dead_letter_and_is_no_longer_parked() {
    TestLane shop = serve(SHOP);
    Message message = full();
    commitFull(message);
    Batch batch = shop.batch();
    shop.settle(batch, retry(only(batch), 1, MINUTE));
    db().pass(MINUTE);
    shop.settle(die(shop.parked().get(0), 2, AfterDead.CONTINUE));
    TestDatabase.Dead dead = db().dead(SHOP).get(0);
    assertComplete(dead, message, only(batch).seq());
    assertThat(dead.reason()).isEqualTo(Reason.RETRY_EXHAUSTED);
    assertThat(dead.attempts()).isEqualTo(2);
    assertThat(Duration.between(dead.firstFailedAt(), dead.lastFailedAt()))
        .isBetween(MINUTE, MINUTE.plusSeconds(30));
    assertThat(db().parked(SHOP)).isEmpty();
  }

  @Test
  void every_attempt_of_a_parked_message_is_recorded_including_the_successful_one() {
    TestLane shop = serve(SHOP);
    commit(message("1"));
    Batch batch = shop.batch();
    shop.settle(batch, retry(only(batch), 1, Duration.ZERO));
    shop.settle(retry(shop.parked().get(0), 2, Duration.ZERO));
    shop.settle(sent(shop.parked().get(0)));
    assertThat(db().attempts(SHOP, only(batch).message().id()))
        .extracting(TestDatabase.Attempt::number, TestDatabase.Attempt::outcome)
        .containsExactly(
            Assertions.tuple(1, "FAILED"),
            Assertions.tuple(2, "FAILED"),
            Assertions.tuple(3, "SENT"));
  }

  @Test
  void an_owner_whose_lane_was_taken_buries_and_parks_nothing() {
    TestLane shop = serve(SHOP);
    commit(message("1"), message("2"));
    Batch batch = shop.batch();
    List<Delivery> both = batch.deliveries();
    takeOver(SHOP);
    assertThatThrownBy(
            () ->
                shop.settle(
                    batch, die(both.get(0), 1, AfterDead.HOLD), retry(both.get(1), 1, MINUTE)))
        .isInstanceOf(LaneLostException.class);
    assertThat(db().dead(SHOP)).isEmpty();
    assertThat(db().parked(SHOP)).isEmpty();
    assertThat(db().attempts(SHOP, both.get(0).message().id())).isEmpty();
  }

  @Test
  void a_held_key_waits_until_a_person_releases_it() {
    TestLane shop = serve(SHOP);
    commit(keyed("k", "1"), keyed("k", "2"), keyed("l", "3"));
    Batch batch = shop.batch();
    List<Delivery> all = batch.deliveries();
    shop.settle(batch, die(all.get(0), 1, AfterDead.HOLD), turn(all.get(1)));
    assertThat(shop.parked()).isEmpty();
    assertThat(store().look(List.of(SHOP)).due()).isEmpty();
    assertThat(shop.state().dueIn()).isNull();
    db().letGo(SHOP, key("k"));
    assertThat(store().look(List.of(SHOP)).due()).containsExactly(SHOP);
    assertThat(contents(shop.parked())).containsExactly("2");
  }

  @Test
  void later_messages_of_a_held_key_queue_up() {
    TestLane shop = serve(SHOP);
    commit(keyed("k", "1"));
    Batch batch = shop.batch();
    shop.settle(batch, die(only(batch), 1, AfterDead.HOLD));
    commit(keyed("k", "2"), keyed("l", "3"));
    Batch next = shop.batch();
    assertThat(next.blocked()).containsExactly(key("k"));
    shop.settle(next, turn(next.deliveries().get(0)));
    assertThat(shop.parked()).isEmpty();
    assertThat(store().look(List.of(SHOP)).due()).isEmpty();
  }

  @Test
  void a_key_is_held_after_a_parked_message_of_it_died() {
    TestLane shop = serve(SHOP);
    commit(keyed("k", "1"), keyed("k", "2"));
    Batch batch = shop.batch();
    List<Delivery> both = batch.deliveries();
    shop.settle(batch, retry(both.get(0), 1, Duration.ZERO), turn(both.get(1)));
    List<Delivery> run = shop.parked();
    shop.settle(die(run.get(0), 2, AfterDead.HOLD), turn(run.get(1)));
    assertThat(shop.parked()).isEmpty();
    assertThat(store().look(List.of(SHOP)).due()).isEmpty();
    takeOver(SHOP);
    assertThat(store().look(List.of(SHOP)).due()).isEmpty();
  }

  @Test
  void a_held_key_with_due_messages_is_not_reported_as_due() {
    TestLane shop = serve(SHOP);
    commit(keyed("k", "1"), keyed("k", "2"));
    Batch batch = shop.batch();
    List<Delivery> both = batch.deliveries();
    shop.settle(batch, die(both.get(0), 1, AfterDead.HOLD), retry(both.get(1), 1, Duration.ZERO));
    assertThat(shop.parked()).isEmpty();
    assertThat(store().look(List.of(SHOP)).due()).isEmpty();
    db().letGo(SHOP, key("k"));
    assertThat(contents(shop.parked())).containsExactly("2");
  }
}
