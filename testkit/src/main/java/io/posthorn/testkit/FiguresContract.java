package io.posthorn.testkit;

import static io.posthorn.testkit.Moves.die;
import static io.posthorn.testkit.Moves.retry;
import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static io.posthorn.testkit.TestMessages.typed;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.operate.deadletter.Requeue;
import io.posthorn.core.operate.figures.DestinationFigures;
import io.posthorn.core.operate.figures.Figures;
import io.posthorn.core.operate.figures.Figures.Count;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.store.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The figures of the whole database. */
public abstract class FiguresContract extends Contract {
  private static final Actor BY = new Actor("anna", "it is a test");

  private Figures figures() {
    return db().operator().figures(RetentionTimes.DEFAULT);
  }

  private DestinationFigures of(String destination) {
    return figures().destinations().stream()
        .filter(figures -> figures.name().equals(destination))
        .findFirst()
        .orElseThrow();
  }

  private static Message[] many(int count) {
    return IntStream.range(0, count).mapToObj(n -> message("")).toArray(Message[]::new);
  }

  @Test
  void pending_counts_messages_in_the_log_and_parked_messages() {
    TestLane shop = serve(SHOP);
    commit(message("1"), message("2"), message("3"));
    Batch batch = shop.batch(TestLane.atMost(1));
    shop.settle(batch, retry(only(batch), 1, Duration.ofHours(1)));
    assertThat(of(SHOP).pending()).isEqualTo(new Count(3, false));
    assertThat(of(SHOP).parked()).containsOnlyKeys(Waiting.RETRY);
    shop.drain();
    assertThat(of(SHOP).pending()).isEqualTo(new Count(1, false));
  }

  @Test
  void up_to_ten_thousand_pending_messages_are_counted_and_more_are_estimated() {
    serve(SHOP);
    commit(many(9_999));
    assertThat(of(SHOP).pending()).isEqualTo(new Count(9_999, false));
    commit(many(8_000));
    assertThat(of(SHOP).pending().estimated()).isTrue();
    assertThat(of(SHOP).pending().number()).isBetween(17_000L, 19_000L);
  }

  @Test
  void the_oldest_age_is_that_of_the_oldest_unsent_message() {
    TestLane shop = serve(SHOP);
    commit(message("parked"), message("late"));
    Batch batch = shop.batch();
    shop.settle(batch, retry(batch.deliveries().get(0), 1, Duration.ofHours(1)));
    db().pass(Duration.ofMinutes(10));
    commit(message("new"));
    assertThat(of(SHOP).oldestAge()).isBetween(Duration.ofMinutes(10), Duration.ofMinutes(11));
    assertThat(of(SHOP).oldestAtMost()).isFalse();
  }

  @Test
  void a_destination_without_a_backlog_has_no_oldest_age() {
    TestLane shop = serve(SHOP);
    commit(message("1"));
    shop.drain();
    db().pass(Duration.ofMinutes(10));
    assertThat(of(SHOP).oldestAge()).isZero();
  }

  @Test
  void the_age_of_a_scheduled_message_counts_from_when_it_is_due() {
    serve(SHOP);
    Instant soon = Instant.now().plus(Duration.ofMinutes(30));
    commit(Message.of(TestMessages.TYPE).json(new byte[0]).notBefore(soon).build());
    db().pass(Duration.ofMinutes(10));
    assertThat(of(SHOP).oldestAge()).isZero();
    assertThat(of(SHOP).pending().number()).isEqualTo(1);
    db().pass(Duration.ofMinutes(25));
    assertThat(of(SHOP).oldestAge()).isBetween(Duration.ofMinutes(4), Duration.ofMinutes(6));
  }

  @Test
  void the_oldest_age_is_an_upper_bound_behind_ten_thousand_messages_for_others() {
    serve(SHOP);
    register("mail", "Rare");
    commit(many(10_001));
    db().pass(Duration.ofMinutes(20));
    commit(typed("Rare", ""));
    assertThat(of("mail").oldestAtMost()).isTrue();
    assertThat(of("mail").oldestAge()).isGreaterThanOrEqualTo(Duration.ofMinutes(20));
    assertThat(of(SHOP).oldestAtMost()).isFalse();
  }

  @Test
  void keys_that_are_parked_and_held_are_counted() {
    TestLane shop = serve(SHOP);
    commit(keyed("a", "a1"), keyed("b", "b1"), keyed("a", "a2"));
    Batch batch = shop.batch();
    shop.settle(
        batch,
        die(batch.deliveries().get(0), 1, AfterDead.HOLD),
        retry(batch.deliveries().get(1), 1, Duration.ofHours(1)));
    assertThat(of(SHOP).heldKeys()).isEqualTo(new Count(1, false));
    assertThat(of(SHOP).parkedKeys().number()).isEqualTo(1);
    assertThat(of(SHOP).dead()).isEqualTo(new Count(1, false));
  }

  @Test
  void dead_letters_are_counted_by_destination_type_and_reason_and_rescues_by_outcome() {
    TestLane shop = serve(SHOP);
    commit(message("1"), message("2"));
    Batch batch = shop.batch();
    shop.settle(
        batch,
        die(batch.deliveries().get(0), 1, AfterDead.CONTINUE),
        die(batch.deliveries().get(1), 1, AfterDead.CONTINUE));
    assertThat(figures().letters())
        .singleElement()
        .matches(letters -> letters.destination().equals(SHOP))
        .matches(letters -> letters.type().equals(TestMessages.TYPE))
        .matches(letters -> letters.count().equals(new Count(2, false)));
    DeadLetters letters = DeadLetters.on(db().operator());
    UUID first = letters.list(DeadLetterQuery.builder().build(), null, 1).get(0).id();
    letters.requeue(List.of(first), Requeue.SAME, BY);
    assertThat(figures().rescues())
        .filteredOn(rescues -> rescues.count().number() > 0)
        .containsExactly(new Figures.Rescues("WAITING", new Count(1, false)));
  }

  @Test
  void dead_letters_that_expire_soon_are_reported() {
    TestLane shop = serve(SHOP);
    commit(message("1"));
    Batch batch = shop.batch();
    shop.settle(batch, die(only(batch), 1, AfterDead.CONTINUE));
    assertThat(figures().expiring()).isEmpty();
    db().pass(Duration.ofDays(25));
    assertThat(figures().expiring())
        .singleElement()
        .matches(soon -> soon.destination().equals(SHOP) && soon.count().number() == 1)
        .matches(soon -> soon.first().toHours() >= 5 * 24 - 1 && soon.first().toDays() <= 5);
  }

  @Test
  void the_retention_lag_and_the_destination_that_causes_it_are_reported() {
    serve(SHOP);
    assertThat(figures().retention().lag()).isZero();
    commit(message("1"));
    db().pass(Duration.ofDays(9));
    assertThat(figures().retention().lag())
        .isBetween(Duration.ofDays(2).minusMinutes(1), Duration.ofDays(2).plusMinutes(1));
    assertThat(figures().retention().blockedBy()).contains(SHOP);
  }

  @Test
  void each_destination_shows_whether_it_is_served_paused_and_answering() {
    TestLane shop = serve(SHOP);
    register("mail", "Other");
    assertThat(of(SHOP).served()).isTrue();
    assertThat(of("mail").served()).isFalse();
    assertThat(of(RelayStore.UNROUTED).paused()).isFalse();
    db().pause(SHOP, true);
    assertThat(of(SHOP).paused()).isTrue();
    assertThat(of(SHOP).answers()).isTrue();
    store().breaker(shop.lane(), Optional.of(Reason.of(Reason.TIMEOUT, "no answer")));
    assertThat(of(SHOP).answers()).isFalse();
    assertThat(figures().relays()).isEqualTo(1);
    db().pass(LEASE.plusMinutes(1));
    assertThat(of(SHOP).served()).isFalse();
    assertThat(figures().relays()).isZero();
  }
}
