package io.posthorn.testkit;

import static io.posthorn.testkit.AppendContract.assertRefused;
import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.message.Message;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Ordered adds lock their keys, so that the order of the log is the order of the transactions. */
public abstract class OrderedAddContract extends Contract {
  @Test
  void a_later_transaction_of_the_key_waits_for_the_earlier_one() throws Throwable {
    TestLane shop = serve(SHOP);
    try (OpenTransaction first = begin().addOrdered(keyed("k", "1"));
        OpenTransaction second = begin()) {
      Background adding = Background.run(() -> second.addOrdered(keyed("k", "2")).commit());
      adding.awaitWaiting(db());
      assertThat(shop.drain()).isEmpty();
      first.addOrdered(keyed("k", "1b")).commit();
      adding.join();
    }
    assertThat(shop.drain()).containsExactly("1", "1b", "2");
  }

  @Test
  void a_rollback_releases_the_key() throws Throwable {
    TestLane shop = serve(SHOP);
    try (OpenTransaction first = begin().addOrdered(keyed("k", "1"));
        OpenTransaction second = begin()) {
      Background adding = Background.run(() -> second.addOrdered(keyed("k", "2")).commit());
      adding.awaitWaiting(db());
      first.rollback();
      adding.join();
    }
    assertThat(shop.drain()).containsExactly("2");
  }

  @Test
  void other_keys_and_messages_without_a_key_do_not_wait_for_a_locked_key() {
    TestLane shop = serve(SHOP);
    try (OpenTransaction first = begin().addOrdered(keyed("k", "1"))) {
      begin().addOrdered(keyed("l", "2"), message("3")).commit();
      begin().addOrdered(message("4")).commit();
      first.commit();
    }
    assertThat(shop.drain()).containsExactlyInAnyOrder("1", "2", "3", "4");
  }

  @Test
  void a_transaction_can_lock_a_thousand_keys_and_not_one_more() {
    TestLane shop = serve(SHOP);
    begin().addOrdered(messages(1_000)).commit();
    try (OpenTransaction tx = begin()) {
      assertRefused(ErrorCode.TOO_MANY_ORDERED_KEYS, () -> tx.addOrdered(messages(1_001)));
      // Nothing was done, so the transaction can go on.
      tx.add(message("last")).commit();
    }
    assertThat(shop.drain()).hasSize(1_001).endsWith("last");
  }

  @Test
  void the_limit_of_keys_counts_per_transaction_and_not_per_call() {
    TestLane shop = serve(SHOP);
    try (OpenTransaction tx = begin().addOrdered(messages(600))) {
      tx.addOrdered(messages(1_000));
      assertRefused(ErrorCode.TOO_MANY_ORDERED_KEYS, () -> tx.addOrdered(keyed("one", "more")));
      tx.addOrdered(keyed("k0", "one of them")).commit();
    }
    begin().addOrdered(keyed("one", "in another transaction")).commit();
    assertThat(shop.drain())
        .hasSize(1_602)
        .endsWith("one of them", "in another transaction")
        .doesNotContain("more");
  }

  @Test
  void many_messages_of_few_keys_can_be_added_in_order() {
    TestLane shop = serve(SHOP);
    begin()
        .addOrdered(
            IntStream.range(0, 3_000)
                .mapToObj(i -> keyed("k" + i % 3, "" + i))
                .toArray(Message[]::new))
        .commit();
    assertThat(shop.drain()).hasSize(3_000);
  }

  private static Message[] messages(int keys) {
    return IntStream.range(0, keys).mapToObj(i -> keyed("k" + i, "" + i)).toArray(Message[]::new);
  }
}
