package io.posthorn.testkit;

import static io.posthorn.core.inbox.InboxVerdict.DUPLICATE;
import static io.posthorn.core.inbox.InboxVerdict.NEW;
import static io.posthorn.core.inbox.InboxVerdict.OUT_OF_ORDER;
import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.inbox.Receipt;
import io.posthorn.core.inbox.ReceiptQuery;
import io.posthorn.core.inbox.ReceiptState;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.retention.PurgeReport;
import io.posthorn.core.operate.retention.RetentionStatus;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.core.source.Received;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * A person can look up receipts and replay their messages; receipts are removed after their time.
 */
public abstract class ReceiptContract extends InboxTopic {
  private static final Duration DAY = Duration.ofDays(1);
  private static final ReceiptQuery ALL = ReceiptQuery.of(STOCK.name());

  private PurgeReport purge() {
    return store().purge(RetentionTimes.DEFAULT.sent());
  }

  @Test
  void receipts_can_be_found_by_id_consumer_sender_time_and_state() {
    Received one = received(message("1"));
    Received two = from("returns", message("2"));
    receive(one, two);
    Receipt receipt = people().find(STOCK.name(), one.message().id()).get(0);
    assertThat(receipt.sender()).isEqualTo(ORDERS);
    assertThat(receipt.digest())
        .isEqualTo("6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b");
    assertThat(receipt.handledAt()).isNotNull();
    assertThat(people().list(ALL, 10)).hasSize(2);
    assertThat(people().list(ALL, 1)).hasSize(1);
    assertThat(people().list(ALL.sender("returns"), 10)).hasSize(1);
    assertThat(people().count(ALL.state(ReceiptState.HANDLED))).isEqualTo(2);
    assertThat(people().count(ALL.state(ReceiptState.STORED))).isZero();
    assertThat(people().count(ALL.received(Instant.now().minus(DAY), null))).isEqualTo(2);
    assertThat(people().count(ALL.received(null, Instant.now().minus(DAY)))).isZero();
    assertThat(people().count(ReceiptQuery.of("mail"))).isZero();
  }

  @Test
  void a_replayed_message_is_handled_once_when_it_comes_again() {
    Received one = received(message("1"));
    Received undated = received(Message.of("T").id(UUID.randomUUID()).build());
    Received other = from("returns", message("2"));
    receive(one, undated, other);
    assertThat(people().replay(ALL.sender(ORDERS), SOMEBODY)).isEqualTo(2);
    assertThat(people().count(ALL.state(ReceiptState.AGAIN))).isEqualTo(2);
    assertThat(receive(one, undated, other)).containsExactly(NEW, NEW, DUPLICATE);
    assertThat(receive(one, undated, other)).containsExactly(DUPLICATE, DUPLICATE, DUPLICATE);
    assertThat(db().operator().audit(0, 10))
        .allSatisfy(
            entry -> {
              assertThat(entry.action()).isEqualTo("inbox.replay");
              assertThat(entry.why()).isEqualTo(SOMEBODY.why());
              assertThat(entry.target()).contains(STOCK.name(), ORDERS);
            })
        .isNotEmpty();
  }

  @Test
  void one_message_can_be_replayed_by_its_id() {
    Received one = received(message("1"));
    receive(one);
    UUID id = one.message().id();
    assertThat(people().replay(STOCK.name(), id, SOMEBODY)).isTrue();
    assertThat(people().replay(STOCK.name(), id, SOMEBODY)).isFalse();
    assertThat(handle(one)).containsExactly(NEW);
    assertThat(people().find(STOCK.name(), id).get(0).state()).isEqualTo(ReceiptState.HANDLED);
  }

  @Test
  void a_replayed_message_is_not_stale() {
    Received older = sequenced("a", 4);
    receive(LATEST, sequenced("a", 5), older);
    assertThat(people().find(STOCK.name(), older.message().id()).get(0).state())
        .isEqualTo(ReceiptState.SKIPPED_STALE);
    assertThat(people().replay(ALL, SOMEBODY)).isEqualTo(2);
    assertThat(receive(LATEST, older)).containsExactly(NEW);
  }

  @Test
  void a_message_that_waits_to_be_handled_cannot_be_replayed() {
    serveConsumer();
    try (OpenTransaction tx = begin()) {
      inbox().store(tx.connection(), STOCK, List.of(received(message("1"))));
      tx.commit();
    }
    assertThat(people().replay(ALL, SOMEBODY)).isZero();
  }

  @Test
  void receipts_are_removed_once_their_ids_are_outside_the_horizon_and_others_stay() {
    receive(aged(DAY.multipliedBy(29)), aged(DAY.multipliedBy(5)), aged(Duration.ZERO));
    assertThat(purge().emptied()).isEmpty();
    assertThat(people().count(ALL)).isEqualTo(3);
    db().pass(DAY.multipliedBy(5));
    assertThat(purge().emptied()).hasSize(1);
    assertThat(people().count(ALL)).isEqualTo(2);
    assertThat(purge().emptied()).isEmpty();
  }

  @Test
  void receipts_stay_when_the_clock_is_set_back() {
    receive(aged(Duration.ZERO));
    for (int days = 1; days < 40; days++) {
      db().pass(DAY.negated());
      assertThat(purge().emptied()).as("%s days back", days).isEmpty();
    }
    assertThat(people().count(ALL)).isEqualTo(1);
  }

  @Test
  void receipts_of_ids_without_a_time_and_sequences_of_keys_are_removed_too() {
    receive(received(Message.of("T").id(UUID.randomUUID()).build()), sequenced("a", 5));
    db().pass(DAY.multipliedBy(30));
    purge();
    assertThat(people().count(ALL)).isEqualTo(2);
    assertThat(receive(sequenced("a", 4))).containsExactly(OUT_OF_ORDER);
    db().pass(DAY.multipliedBy(3));
    purge();
    assertThat(people().count(ALL)).isEqualTo(1);
    db().pass(DAY.multipliedBy(31));
    purge();
    assertThat(people().count(ALL)).isZero();
    assertThat(receive(sequenced("a", 3))).containsExactly(NEW);
  }

  @Test
  void the_retention_status_lists_receipts() {
    receive(received(message("1")));
    assertThat(db().operator().retentionStatus(RetentionTimes.DEFAULT).leaves())
        .extracting(RetentionStatus.Leaf::name)
        .anyMatch(name -> name.contains("receipt"));
  }
}
