package io.posthorn.testkit;

import static io.posthorn.testkit.AppendContract.assertRefused;
import static io.posthorn.testkit.TestLane.contents;
import static io.posthorn.testkit.TestMessages.key;
import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.audit.AuditEntry;
import io.posthorn.core.operate.retention.RetentionStatus.Unread;
import io.posthorn.core.operate.retention.RetentionTimes;
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

/**
 * Messages that a destination has not passed can be moved out of the log, and none is lost or
 * overtaken.
 */
public abstract class SpillContract extends Contract {
  private static final Duration WEEK = Duration.ofDays(7);
  private static final Actor ANNA = new Actor("anna", "the disk is nearly full");
  private static final Reason REASON = Reason.of(Reason.UNKNOWN, "a test");

  /** Sends all parked messages, and then those of the log, as a relay would. */
  private List<String> sendAll(TestLane lane) {
    List<String> sent = new ArrayList<>();
    lane.claim(TestLane.atMost(1));
    for (List<Delivery> parked = lane.parked(); !parked.isEmpty(); parked = lane.parked()) {
      sent.addAll(contents(parked));
      lane.settle(parked.stream().map(Move.Sent::new).toArray(Move[]::new));
    }
    sent.addAll(lane.drain());
    return sent;
  }

  @Test
  void a_leaf_can_be_emptied_after_its_unsent_messages_are_spilled() {
    TestLane shop = serve(SHOP);
    TestLane unrouted = take(RelayStore.UNROUTED);
    db().pause(SHOP, true);
    commit(keyed("a", "a1"), keyed("a", "a2"), message("-"));
    while (store().tendUnrouted(unrouted.lane(), WEEK)) {}
    assertThat(store().spill(SHOP, ANNA)).isEqualTo(3);
    db().pass(WEEK.plusDays(2));
    assertThat(store().purge(WEEK).emptied()).isNotEmpty();
    assertThat(db().logged()).isEmpty();
    db().pause(SHOP, false);
    assertThat(sendAll(takeOver(SHOP))).containsSubsequence("a1", "a2").contains("-").hasSize(3);
    assertThat(shop.lane().destination()).isEqualTo(SHOP);
  }

  @Test
  void keys_keep_their_order_across_parked_spilled_and_later_messages() {
    TestLane shop = serve(SHOP);
    commit(keyed("a", "a1"));
    Batch batch = shop.batch();
    shop.settle(batch, new Move.Park(only(batch), Waiting.RETRY, 1, Duration.ZERO, REASON));
    commit(keyed("a", "a2"), keyed("b", "b1"));
    store().spill(SHOP, ANNA);
    commit(keyed("a", "a3"), keyed("b", "b2"));
    TestLane next = takeOver(SHOP);
    assertThat(next.batch().blocked()).contains(key("a"), key("b"));
    assertThat(sendAll(takeOver(SHOP)))
        .containsSubsequence("a1", "a2", "a3")
        .containsSubsequence("b1", "b2")
        .hasSize(5);
  }

  @Test
  void a_relay_with_spilled_messages_in_hand_settles_nothing_and_claims_them_again() {
    TestLane shop = serve(SHOP);
    commit(keyed("a", "a1"), keyed("a", "a2"), keyed("a", "a3"));
    Batch batch = shop.batch(TestLane.atMost(2));
    store().spill(SHOP, ANNA);
    assertThatThrownBy(() -> shop.settle(batch)).isInstanceOf(LaneLostException.class);
    assertThatThrownBy(() -> shop.readAhead(batch, TestLane.ALL))
        .isInstanceOf(LaneLostException.class);
    assertThat(sendAll(takeOver(SHOP))).containsExactly("a1", "a2", "a3");
  }

  @Test
  void messages_settled_ahead_are_not_spilled() {
    TestLane shop = serve(SHOP);
    commit(keyed("a", "a1"), keyed("b", "b1"), keyed("c", "c1"));
    Batch batch = shop.batch();
    long first = batch.deliveries().get(0).seq();
    shop.settle(shop.partly(List.of(batch), first - 1, List.of(batch.deliveries().get(1).seq())));
    assertThat(store().spill(SHOP, ANNA)).isEqualTo(2);
    assertThat(sendAll(takeOver(SHOP))).containsExactlyInAnyOrder("a1", "c1");
  }

  @Test
  void messages_of_transactions_that_are_open_during_a_spill_are_not_lost() {
    TestLane shop = serve(SHOP);
    try (OpenTransaction open = begin().add(keyed("late", "late 1"))) {
      commit(keyed("a", "a1"));
      assertThat(store().spill(SHOP, ANNA)).isEqualTo(1);
      open.commit();
    }
    assertThat(sendAll(takeOver(SHOP))).containsExactlyInAnyOrder("a1", "late 1");
    assertThat(shop.lane().number()).isZero();
  }

  @Test
  void a_long_backlog_is_spilled_page_by_page_and_audited() {
    serve(SHOP);
    for (int i = 0; i < 12; i++) {
      Message[] messages = new Message[100];
      for (int m = 0; m < messages.length; m++) {
        messages[m] = keyed("k" + m, "k" + m + " " + i);
      }
      commit(messages);
    }
    assertThat(store().spill(SHOP, ANNA)).isEqualTo(1_200);
    assertThat(store().spill(SHOP, ANNA)).isZero();
    List<AuditEntry> audit = db().operator().audit(0, 100);
    assertThat(audit).hasSizeGreaterThan(1);
    assertThat(audit).extracting(AuditEntry::action).containsOnly("destination.spill");
    List<String> sent = sendAll(takeOver(SHOP));
    assertThat(sent).hasSize(1_200);
    for (int key = 0; key < 100; key++) {
      String prefix = "k" + key + " ";
      List<String> own = sent.stream().filter(content -> content.startsWith(prefix)).toList();
      assertThat(own).hasSize(12);
      for (int i = 0; i < 12; i++) {
        assertThat(own.get(i)).isEqualTo(prefix + i);
      }
    }
  }

  @Test
  void spilled_scheduled_messages_keep_their_time() {
    serve(SHOP);
    commit(
        Message.of(TestMessages.TYPE)
            .json(new byte[] {'x'})
            .notBefore(Instant.now().plus(WEEK))
            .build());
    store().spill(SHOP, ANNA);
    assertThat(db().parked(SHOP))
        .extracting(TestDatabase.Parked::waiting)
        .containsExactly(Waiting.TIME);
  }

  @Test
  void spilling_an_unknown_destination_is_refused() {
    assertRefused(ErrorCode.NOT_FOUND, () -> store().spill("nowhere", ANNA));
    assertRefused(ErrorCode.INVALID_REQUEST, () -> store().spill(RelayStore.UNROUTED, ANNA));
  }

  @Test
  void the_status_shows_how_much_of_the_log_each_destination_keeps() {
    TestLane shop = serve(SHOP);
    serve("slow");
    commit(keyed("a", "a1"), keyed("a", "a2"));
    shop.drain();
    List<Unread> unread = store().retentionStatus(RetentionTimes.DEFAULT).unread();
    assertThat(unread)
        .filteredOn(u -> u.destination().equals("slow"))
        .first()
        .matches(u -> u.bytes() > 0);
    assertThat(unread)
        .filteredOn(u -> u.destination().equals(SHOP))
        .first()
        .matches(u -> u.bytes() == 0);
  }
}
