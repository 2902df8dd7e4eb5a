package io.posthorn.testkit;

import static io.posthorn.testkit.AppendContract.assertRefused;
import static io.posthorn.testkit.Moves.retry;
import static io.posthorn.testkit.TestLane.ALL;
import static io.posthorn.testkit.TestMessages.message;
import static io.posthorn.testkit.TestMessages.typed;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.retention.PurgeReport;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.RelayStore;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Messages that every destination has passed are removed after their time, and no others ever. */
public abstract class RetentionContract extends Contract {
  private static final Duration WEEK = Duration.ofDays(7);
  private static final Duration DAY = Duration.ofDays(1);

  /** Both lanes pass everything, and write progress today as well. */
  private void settleAll(TestLane... lanes) {
    for (TestLane lane : lanes) {
      if (lane.lane().destination().equals(RelayStore.UNROUTED)) {
        while (store().tendUnrouted(lane.lane(), DAY)) {}
      } else {
        lane.drain();
      }
    }
  }

  @Test
  void a_message_that_every_destination_passed_is_removed_after_the_retention() {
    TestLane shop = serve(SHOP);
    TestLane unrouted = take(RelayStore.UNROUTED);
    commit(message("1"));
    settleAll(shop, unrouted);
    db().pass(WEEK.minus(DAY));
    assertThat(store().purge(WEEK).emptied()).isEmpty();
    assertThat(db().logged()).hasSize(1);
    db().pass(DAY.multipliedBy(2));
    assertThat(store().purge(WEEK).emptied()).isNotEmpty();
    assertThat(db().logged()).isEmpty();
    assertThat(shop.claim(ALL).batch()).isNull();
  }

  @Test
  void messages_of_today_are_kept_whatever_the_retention() {
    TestLane shop = serve(SHOP);
    TestLane unrouted = take(RelayStore.UNROUTED);
    commit(message("today"));
    settleAll(shop, unrouted);
    db().pass(Duration.ofHours(2));
    assertThat(store().purge(Duration.ZERO).emptied()).isEmpty();
    assertThat(db().logged()).hasSize(1);
  }

  @Test
  void the_longest_retention_that_the_ring_of_leaves_allows_is_kept_and_ends() {
    TestLane shop = serve(SHOP);
    TestLane unrouted = take(RelayStore.UNROUTED);
    commit(message("1"));
    settleAll(shop, unrouted);
    db().pass(Duration.ofDays(12));
    store().purge(Duration.ofDays(13));
    assertThat(db().logged()).hasSize(1);
    db().pass(Duration.ofDays(2));
    store().purge(Duration.ofDays(13));
    assertThat(db().logged()).isEmpty();
  }

  @Test
  void a_retention_longer_than_the_ring_of_leaves_is_refused() {
    assertRefused(ErrorCode.CONFIGURATION, () -> store().purge(Duration.ofDays(14)));
    RetentionTimes tooLong = new RetentionTimes(Duration.ofDays(14), RetentionTimes.DEFAULT.dead());
    assertRefused(ErrorCode.CONFIGURATION, () -> store().checkRetention(tooLong));
    store().checkRetention(RetentionTimes.DEFAULT);
  }

  @Test
  void
      a_message_that_one_destination_has_not_passed_is_kept_and_the_report_names_the_destination() {
    TestLane shop = serve(SHOP);
    TestLane slow = serve("slow");
    TestLane unrouted = take(RelayStore.UNROUTED);
    commit(message("1"));
    settleAll(shop, unrouted);
    db().pass(WEEK.plus(DAY.multipliedBy(2)));
    PurgeReport report = store().purge(WEEK);
    assertThat(report.emptied()).isEmpty();
    assertThat(report.waiting()).anySatisfy(line -> assertThat(line).contains("'slow'"));
    assertThat(slow.drain()).containsExactly("1");
    db().pass(Duration.ofHours(2));
    store().purge(WEEK);
    assertThat(db().logged()).isEmpty();
  }

  /** Readers that began before the message was passed may still read it. */
  @Test
  void a_message_is_kept_for_an_hour_after_the_last_destination_passed_it() {
    TestLane shop = serve(SHOP);
    TestLane slow = serve("slow");
    TestLane unrouted = take(RelayStore.UNROUTED);
    commit(message("1"));
    settleAll(shop, unrouted);
    db().pass(WEEK.plus(DAY.multipliedBy(2)));
    assertThat(slow.drain()).containsExactly("1");
    assertThat(store().purge(WEEK).waiting())
        .anySatisfy(line -> assertThat(line).contains("'slow'"));
    db().pass(Duration.ofMinutes(55));
    store().purge(WEEK);
    assertThat(db().logged()).hasSize(1);
    db().pass(Duration.ofMinutes(6));
    store().purge(WEEK);
    assertThat(db().logged()).isEmpty();
  }

  /** The lane finds no new message of its types, and each of these settles writes progress. */
  @Test
  void a_message_that_is_retried_every_hour_does_not_keep_the_messages_of_others() {
    TestLane slow = serve("slow");
    TestLane unrouted = take(RelayStore.UNROUTED);
    register(SHOP, "Ordered");
    TestLane shop = take(SHOP);
    commit(typed("Ordered", "always fails"));
    Batch batch = shop.batch();
    shop.settle(batch, retry(only(batch), 1, Duration.ZERO));
    commit(message("not for the shop"));
    settleAll(slow, unrouted);
    for (int attempts = 2; attempts < 6; attempts++) {
      db().pass(Duration.ofMinutes(50));
      assertThat(shop.claim(ALL).batch()).isNull();
      shop.settle(retry(shop.parked().get(0), attempts, Duration.ZERO));
    }
    db().pass(WEEK.plus(DAY.multipliedBy(2)));
    assertThat(store().purge(WEEK).waiting()).noneMatch(line -> line.contains("has not passed"));
    assertThat(db().logged()).isEmpty();
  }

  @Test
  void a_batch_that_is_claimed_and_not_settled_keeps_its_messages() {
    TestLane shop = serve(SHOP);
    TestLane unrouted = take(RelayStore.UNROUTED);
    commit(message("1"));
    settleAll(unrouted);
    Batch batch = shop.batch();
    db().pass(WEEK.plus(DAY.multipliedBy(2)));
    assertThat(store().purge(WEEK).emptied()).isEmpty();
    shop.settle(batch);
  }

  @Test
  void messages_of_an_open_transaction_are_kept_and_the_report_says_so() {
    TestLane shop = serve(SHOP);
    TestLane unrouted = take(RelayStore.UNROUTED);
    commit(message("1"));
    settleAll(shop, unrouted);
    db().pass(WEEK.plus(DAY.multipliedBy(2)));
    try (OpenTransaction open = begin()) {
      // It has been writing since the day of that message, and has not ended yet.
      db().addOnTheDayOf(open.connection(), db().logged().get(0), message("old"));
      PurgeReport report = store().purge(WEEK);
      assertThat(report.emptied()).isEmpty();
      assertThat(report.waiting()).anySatisfy(line -> assertThat(line).contains("open"));
      open.commit();
    }
    assertThat(store().purge(WEEK).emptied()).isEmpty();
    assertThat(shop.drain()).containsExactly("old");
  }

  @Test
  void the_current_progress_of_a_lane_is_never_removed() {
    TestLane shop = serve(SHOP);
    TestLane unrouted = take(RelayStore.UNROUTED);
    commit(message("1"));
    settleAll(shop, unrouted);
    for (int i = 0; i < 20; i++) {
      db().pass(DAY);
      store().purge(WEEK);
    }
    commit(message("2"));
    assertThat(takeOver(SHOP).drain()).containsExactly("2");
  }

  @Test
  void given_ids_are_kept_while_a_destination_keeps_the_log() {
    TestLane shop = serve(SHOP);
    TestLane unrouted = take(RelayStore.UNROUTED);
    UUID id = UUID.randomUUID();
    commit(Message.of(TestMessages.TYPE).id(id).build());
    // Nobody reads it for SHOP, as while it is paused.
    for (int i = 0; i < 3; i++) {
      db().pass(WEEK);
      settleAll(unrouted);
      store().purge(WEEK);
    }
    try (OpenTransaction tx = begin()) {
      assertRefused(
          ErrorCode.DUPLICATE_ID, () -> tx.add(Message.of(TestMessages.TYPE).id(id).build()));
    }
    assertThat(shop.drain()).hasSize(1);
  }

  @Test
  void given_ids_are_kept_longer_than_the_log() {
    TestLane shop = serve(SHOP);
    TestLane unrouted = take(RelayStore.UNROUTED);
    UUID id = UUID.randomUUID();
    commit(Message.of(TestMessages.TYPE).id(id).build());
    settleAll(shop, unrouted);
    db().pass(WEEK.plus(DAY));
    assertThat(store().purge(WEEK).emptied()).isNotEmpty();
    try (OpenTransaction tx = begin()) {
      assertRefused(
          ErrorCode.DUPLICATE_ID, () -> tx.add(Message.of(TestMessages.TYPE).id(id).build()));
    }
    db().pass(WEEK);
    store().purge(WEEK);
    commit(Message.of(TestMessages.TYPE).id(id).build());
  }
}
