package io.posthorn.testkit;

import static io.posthorn.testkit.TestLane.atMost;
import static io.posthorn.testkit.TestLane.contents;
import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Head;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Transactions that stay open delay no other message, and what they commit late is not skipped. */
public abstract class OpenTransactionsContract extends Contract {
  @Test
  void an_open_transaction_delays_no_other_message() {
    TestLane shop = serve(SHOP);
    try (OpenTransaction open = begin().add(message("late"))) {
      commit(message("1"));
      assertThat(shop.drain()).containsExactly("1");
      commit(message("2"));
      assertThat(shop.drain()).containsExactly("2");
      open.commit();
    }
    assertThat(shop.drain()).containsExactly("late");
  }

  @Test
  void the_newest_transaction_is_not_skipped_when_a_claim_came_before_its_commit() {
    TestLane shop = serve(SHOP);
    commit(message("1"));
    try (OpenTransaction newest = begin().add(message("2"))) {
      assertThat(shop.drain()).containsExactly("1");
      assertThat(shop.drain()).isEmpty();
      newest.commit();
    }
    assertThat(shop.drain()).containsExactly("2");
  }

  @Test
  void a_transaction_open_while_its_destination_is_registered_is_not_skipped() {
    try (OpenTransaction open = begin().add(message("1"))) {
      TestLane shop = serve(SHOP);
      assertThat(shop.drain()).isEmpty();
      open.commit();
      assertThat(shop.drain()).containsExactly("1");
    }
  }

  @Test
  void a_late_transaction_is_read_in_pages_too() {
    TestLane shop = serve(SHOP);
    List<String> expected = new ArrayList<>();
    try (OpenTransaction open = begin()) {
      for (int i = 0; i < 10; i++) {
        open.add(message("late " + i));
        expected.add("late " + i);
      }
      commit(message("1"));
      assertThat(shop.drain()).containsExactly("1");
      open.add(message("last"));
      expected.add("last");
      commit(message("2"));
      open.commit();
    }
    assertThat(shop.drain(atMost(3))).containsAll(expected).contains("2").hasSize(12);
  }

  @Test
  void each_message_of_many_open_transactions_comes_once() {
    TestLane shop = serve(SHOP);
    List<OpenTransaction> open = new ArrayList<>();
    List<String> expected = new ArrayList<>();
    List<String> seen = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      open.add(begin().add(message("a" + i)));
      seen.addAll(shop.drain());
    }
    for (int i : new int[] {7, 0, 3, 5, 1, 6, 2, 4}) {
      open.get(i).add(message("b" + i));
      seen.addAll(shop.drain(atMost(1)));
      if (i % 3 == 0) {
        open.get(i).rollback();
      } else {
        open.get(i).commit();
        expected.add("a" + i);
        expected.add("b" + i);
      }
      seen.addAll(shop.drain(atMost(1)));
    }
    assertThat(seen).containsExactlyInAnyOrderElementsOf(expected);
  }

  @Test
  void a_claimed_window_does_not_grow() {
    TestLane shop = serve(SHOP);
    try (OpenTransaction open = begin().add(message("late"))) {
      commit(message("1"), message("2"));
      Batch batch = shop.batch(atMost(1));
      open.commit();
      commit(message("3"));
      Batch next = shop.readAhead(batch, TestLane.ALL).orElseThrow();
      assertThat(contents(next.deliveries())).containsExactly("2");
      shop.settle(List.of(batch, next));
    }
    assertThat(shop.drain()).containsExactly("late", "3");
  }

  @Test
  void the_head_shows_a_commit() {
    Head before = store().head();
    commit(message("1"));
    assertThat(store().head().newsSince(before)).isTrue();
  }

  @Test
  void the_head_shows_the_commit_of_a_transaction_that_was_open_before() {
    try (OpenTransaction open = begin().add(message("1"))) {
      Head before = store().head();
      open.commit();
      assertThat(store().head().newsSince(before)).isTrue();
    }
  }

  @Test
  void the_head_shows_a_commit_that_a_claim_has_not_seen() {
    TestLane shop = serve(SHOP);
    try (OpenTransaction open = begin().add(message("1"))) {
      Head before = shop.state().head();
      open.commit();
      assertThat(store().head().newsSince(before)).isTrue();
    }
  }

  @Test
  void the_head_shows_no_news_while_nothing_is_committed() {
    TestLane shop = serve(SHOP);
    commit(message("1"));
    shop.drain();
    Head before = shop.state().head();
    Head probe = store().head();
    assertThat(probe.newsSince(before)).isFalse();
    assertThat(store().head().newsSince(probe)).isFalse();
  }
}
