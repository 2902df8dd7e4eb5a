package io.posthorn.testkit;

import static io.posthorn.testkit.Moves.park;
import static io.posthorn.testkit.Moves.retry;
import static io.posthorn.testkit.Moves.sent;
import static io.posthorn.testkit.Moves.turn;
import static io.posthorn.testkit.TestLane.contents;
import static io.posthorn.testkit.TestMessages.key;
import static io.posthorn.testkit.TestMessages.keyed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Limits;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.audit.Audit;
import io.posthorn.core.operate.audit.AuditEntry;
import io.posthorn.core.operate.steering.Steering;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Claim;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Waiting;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A scheduled message waits for its time, delays no other until then, and then takes its turn. */
public abstract class ScheduleContract extends Contract {
  private static final Duration HOUR = Duration.ofHours(1);

  private static Message scheduled(String content) {
    return Message.of(TestMessages.TYPE)
        .key(TestMessages.AGGREGATE, "k")
        .json(content.getBytes(StandardCharsets.UTF_8))
        .notBefore(Instant.now().plus(HOUR))
        .build();
  }

  private TestLane shopWithScheduled(String content) {
    TestLane shop = serve(SHOP);
    commit(scheduled(content));
    Batch batch = shop.batch();
    shop.settle(batch, park(only(batch), Waiting.TIME, 0, Duration.ZERO));
    return shop;
  }

  @Test
  void a_claimed_scheduled_message_has_its_time() {
    TestLane shop = serve(SHOP);
    commit(scheduled("1"));
    Batch batch = shop.batch();
    assertThat(only(batch).message().notBefore()).isAfter(batch.claimedAt());
  }

  @Test
  void a_scheduled_message_does_not_come_before_it_is_due() {
    TestLane shop = serve(SHOP);
    commit(scheduled("1"));
    Batch batch = shop.batch();
    Claim claim = shop.settle(batch, park(only(batch), Waiting.TIME, 0, Duration.ZERO));
    assertThat(claim.state().dueIn()).isBetween(Duration.ofMinutes(55), HOUR);
    assertThat(shop.parked()).isEmpty();
    assertThat(store().look(List.of(SHOP)).due()).isEmpty();
  }

  @Test
  void a_scheduled_message_that_becomes_due_does_not_overtake_its_key_in_the_log() {
    TestLane shop = shopWithScheduled("scheduled");
    commit(keyed("k", "before it"), keyed("l", "of another"));
    db().pass(HOUR);
    assertThat(shop.parked()).isEmpty();
    commit(keyed("k", "after it"));
    Batch batch = shop.batch();
    shop.settle(batch, turn(batch.deliveries().get(0)), turn(batch.deliveries().get(2)));
    db().pass(Duration.ofMinutes(1));
    assertThat(contents(shop.parked())).containsExactly("before it", "scheduled", "after it");
  }

  @Test
  void a_scheduled_message_can_be_rescheduled() {
    TestLane shop = shopWithScheduled("1");
    UUID id = db().parked(SHOP).get(0).id();
    Steering steering = Steering.on(db().operator());
    Actor anna = new Actor("anna", "the shop opens later");
    steering.reschedule(SHOP, id, Instant.now().plus(HOUR.multipliedBy(3)), anna);
    db().pass(HOUR.multipliedBy(2));
    assertThat(shop.parked()).isEmpty();
    steering.reschedule(SHOP, id, Instant.now().minusSeconds(1), anna);
    assertThat(store().look(List.of(SHOP)).due()).containsExactly(SHOP);
    assertThat(contents(shop.parked())).containsExactly("1");
    assertThatThrownBy(() -> steering.reschedule(SHOP, id, Instant.now(), anna))
        .as("it fell due")
        .hasMessageContaining("waits for TURN");
    assertThat(Audit.on(db().operator()).after(0, 10))
        .extracting(AuditEntry::action)
        .containsOnly("parked.reschedule");
  }

  @Test
  void a_message_can_only_be_rescheduled_to_a_time_that_every_reader_can_read() {
    TestLane shop = shopWithScheduled("1");
    UUID id = db().parked(SHOP).get(0).id();
    Steering steering = Steering.on(db().operator());
    Actor anna = new Actor("anna", "a typing error");
    for (Instant at :
        List.of(
            Instant.MIN,
            Limits.EARLIEST.minusNanos(1),
            Limits.LATEST.plusNanos(1),
            Instant.parse("+294276-12-31T00:00:00Z"),
            Instant.MAX)) {
      assertThatThrownBy(() -> steering.reschedule(SHOP, id, at, anna))
          .isInstanceOf(PosthornException.class)
          .hasMessageContaining("was not rescheduled")
          .extracting(e -> ((PosthornException) e).code())
          .isEqualTo(ErrorCode.INVALID_REQUEST);
    }
    steering.reschedule(SHOP, id, Limits.LATEST, anna);
    assertThat(steering.parked(SHOP, null, 10)).hasSize(1);
    assertThat(store().look(List.of(SHOP)).due()).isEmpty();
    steering.reschedule(SHOP, id, Limits.EARLIEST, anna);
    assertThat(contents(shop.parked())).containsExactly("1");
  }

  @Test
  void rescheduling_a_message_that_is_still_in_the_log_is_refused() {
    serve(SHOP);
    Message message = scheduled("1");
    commit(message);
    assertThatThrownBy(
            () ->
                Steering.on(db().operator())
                    .reschedule(SHOP, message.id(), Instant.now(), new Actor("anna", "now")))
        .hasMessageContaining("still in the log")
        .hasMessageContaining("try again");
  }

  @Test
  void a_scheduled_message_comes_once_it_is_due() {
    TestLane shop = shopWithScheduled("1");
    db().pass(HOUR);
    assertThat(store().look(List.of(SHOP)).due()).containsExactly(SHOP);
    List<Delivery> due = shop.parked();
    assertThat(contents(due)).containsExactly("1");
    assertThat(due.get(0).attempts()).isZero();
    shop.settle(sent(due.get(0)));
    assertThat(db().parked(SHOP)).isEmpty();
  }

  @Test
  void a_scheduled_message_that_is_not_yet_due_does_not_delay_its_key() {
    TestLane shop = shopWithScheduled("later");
    commit(keyed("k", "now"));
    Batch batch = shop.batch();
    assertThat(batch.blocked()).isEmpty();
    shop.settle(batch, retry(only(batch), 1, Duration.ZERO));
    assertThat(contents(shop.parked())).containsExactly("now");
  }

  @Test
  void a_scheduled_message_that_has_become_due_goes_before_later_ones_of_its_key() {
    TestLane shop = shopWithScheduled("first");
    db().pass(HOUR);
    assertThat(contents(shop.parked())).containsExactly("first");
    commit(keyed("k", "second"));
    Batch batch = shop.batch();
    assertThat(batch.blocked()).containsExactly(key("k"));
    shop.settle(batch, turn(only(batch)));
    assertThat(contents(shop.parked())).containsExactly("first", "second");
  }

  @Test
  void a_scheduled_message_that_becomes_due_goes_behind_the_parked_messages_of_its_key() {
    TestLane shop = shopWithScheduled("scheduled");
    commit(keyed("k", "failed"));
    Batch batch = shop.batch();
    shop.settle(batch, retry(only(batch), 1, HOUR.multipliedBy(2)));
    db().pass(HOUR);
    assertThat(shop.parked()).isEmpty();
    db().pass(HOUR);
    assertThat(contents(shop.parked())).containsExactly("failed", "scheduled");
  }

  @Test
  void a_scheduled_message_that_waits_behind_others_is_not_reported_as_due() {
    TestLane shop = shopWithScheduled("scheduled");
    commit(keyed("k", "failed"));
    Batch batch = shop.batch();
    shop.settle(batch, retry(only(batch), 1, HOUR.multipliedBy(2)));
    db().pass(HOUR);
    shop.parked();
    assertThat(store().look(List.of(SHOP)).due()).isEmpty();
  }

  @Test
  void a_scheduled_message_without_a_key_comes_at_its_time() {
    TestLane shop = serve(SHOP);
    commit(Message.of(TestMessages.TYPE).notBefore(Instant.now().plus(HOUR)).build());
    Batch batch = shop.batch();
    shop.settle(batch, park(only(batch), Waiting.TIME, 0, Duration.ZERO));
    assertThat(shop.parked()).isEmpty();
    db().pass(HOUR);
    assertThat(shop.parked()).hasSize(1);
  }

  @Test
  void a_failed_scheduled_message_is_retried_like_any_other() {
    TestLane shop = shopWithScheduled("1");
    db().pass(HOUR);
    shop.settle(retry(shop.parked().get(0), 1, HOUR));
    assertThat(shop.parked()).isEmpty();
    db().pass(HOUR);
    assertThat(shop.parked().get(0).attempts()).isEqualTo(1);
  }

  /**
   * Otherwise a receiver with latest wins would drop the message as older than those sent
   * meanwhile.
   */
  @Test
  void the_sequence_of_a_scheduled_message_is_above_those_sent_meanwhile() {
    TestLane shop = shopWithScheduled("1");
    commit(keyed("k", "2"));
    Batch batch = shop.batch();
    Delivery meanwhile = only(batch);
    shop.settle(batch, sent(meanwhile));
    db().pass(HOUR);
    Delivery due = shop.parked().get(0);
    assertThat(due.seq()).isLessThan(meanwhile.seq());
    long sequence = due.handedOver().sequence();
    assertThat(sequence).isGreaterThan(meanwhile.handedOver().sequence());
    commit(keyed("k", "3"));
    shop.settle(retry(due, 1, Duration.ZERO));
    assertThat(shop.parked().get(0).handedOver().sequence()).isEqualTo(sequence);
    assertThat(only(shop.batch()).handedOver().sequence()).isGreaterThanOrEqualTo(sequence);
  }
}
