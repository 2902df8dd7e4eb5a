package io.posthorn.testkit;

import static io.posthorn.testkit.Moves.retry;
import static io.posthorn.testkit.TestLane.ALL;
import static io.posthorn.testkit.TestLane.atMost;
import static io.posthorn.testkit.TestLane.contents;
import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static io.posthorn.testkit.TestMessages.sized;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.message.Message;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Claim;
import io.posthorn.core.store.ClaimLimits;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.LaneLostException;
import io.posthorn.core.store.Move;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/**
 * A claim returns committed messages in order, within its limits, and again until they are settled.
 */
public abstract class ClaimContract extends Contract {
  @Test
  void an_empty_outbox_gives_no_batch() {
    TestLane shop = serve(SHOP);
    Claim claim = shop.claim(ALL);
    assertThat(claim.batch()).isNull();
    assertThat(claim.state().paused()).isFalse();
    assertThat(claim.state().ratePerSecond()).isNull();
    assertThat(claim.state().dueIn()).isNull();
  }

  @Test
  void messages_come_in_the_order_of_the_log() {
    TestLane shop = serve(SHOP);
    commit(keyed("k", "1"), keyed("l", "2"));
    commit(message("3"));
    Batch batch = shop.batch();
    assertThat(contents(batch.deliveries())).containsExactly("1", "2", "3");
    assertThat(batch.deliveries()).extracting(Delivery::seq).isSorted().doesNotHaveDuplicates();
    assertThat(batch.claimedAt())
        .isCloseTo(Instant.now(), Assertions.within(1, ChronoUnit.MINUTES));
    assertThat(batch.lane()).isEqualTo(shop.lane());
    assertThat(batch.start()).isLessThan(batch.deliveries().get(0).seq());
    assertThat(batch.end()).isGreaterThanOrEqualTo(batch.deliveries().get(2).seq());
  }

  @Test
  void unsettled_messages_are_claimed_again() {
    TestLane shop = serve(SHOP);
    commit(message("1"), message("2"));
    Batch first = shop.batch();
    commit(message("3"));
    Batch again = shop.batch();
    assertThat(contents(again.deliveries())).startsWith("1", "2");
    assertThat(again.deliveries().get(0).seq()).isEqualTo(first.deliveries().get(0).seq());
    shop.settle(again);
    assertThat(shop.drain()).doesNotContain("1", "2");
  }

  @Test
  void the_next_owner_claims_the_messages_that_the_last_one_did_not_settle() {
    TestLane shop = serve(SHOP);
    commit(message("1"), message("2"));
    shop.batch();
    assertThat(takeOver(SHOP).drain()).containsExactly("1", "2");
  }

  @Test
  void a_batch_has_no_more_messages_than_asked_for() {
    TestLane shop = serve(SHOP);
    commit(IntStream.range(0, 7).mapToObj(i -> message("" + i)).toArray(Message[]::new));
    Batch batch = shop.batch(atMost(3));
    assertThat(contents(batch.deliveries())).containsExactly("0", "1", "2");
    assertThat(batch.more()).isTrue();
    shop.settle(batch);
    assertThat(shop.drain(atMost(3))).containsExactly("3", "4", "5", "6");
  }

  @Test
  void a_batch_ends_with_the_message_that_reaches_the_byte_limit() {
    TestLane shop = serve(SHOP);
    commit(sized(400), sized(400), sized(400), sized(400));
    ClaimLimits thousand = new ClaimLimits(100, 1_000);
    Batch batch = shop.batch(thousand);
    assertThat(batch.deliveries()).hasSize(3);
    assertThat(batch.more()).isTrue();
    shop.settle(batch);
    assertThat(shop.batch(thousand).deliveries()).hasSize(1);
  }

  @Test
  void headers_count_towards_the_byte_limit_as_payloads_do() {
    TestLane shop = serve(SHOP);
    ClaimLimits limits = new ClaimLimits(100, 10_000);
    commit(headed(), headed(), headed(), headed(), headed(), headed(), headed());
    Batch first = shop.batch(limits);
    assertThat(first.deliveries()).hasSize(3);
    Batch ahead = shop.readAhead(first, limits).orElseThrow();
    assertThat(ahead.deliveries()).hasSize(3);
    for (Delivery delivery : ahead.deliveries()) {
      assertThat(delivery.message().headers()).isEqualTo(headed().headers());
    }
    shop.settle(
        List.of(first, ahead),
        Stream.of(first, ahead)
            .flatMap(batch -> batch.deliveries().stream())
            .map(delivery -> retry(delivery, 1, Duration.ZERO))
            .toArray(Move[]::new));
    assertThat(shop.parked(limits)).hasSize(3);
    assertThat(shop.batch(limits).deliveries()).hasSize(1);
  }

  /** A message whose header may take less space on disk than in memory. */
  private static Message headed() {
    return Message.of(TestMessages.TYPE).header("h", "x".repeat(4_000)).build();
  }

  @Test
  void a_message_larger_than_the_limit_comes_alone() {
    TestLane shop = serve(SHOP);
    commit(sized(500_000), sized(10), sized(500_000), sized(500_000));
    ClaimLimits small = new ClaimLimits(100, 1_000);
    int[] sizes = new int[3];
    for (int i = 0; i < sizes.length; i++) {
      Batch batch = shop.batch(small);
      sizes[i] = batch.deliveries().size();
      shop.settle(batch);
    }
    assertThat(sizes).containsExactly(1, 2, 1);
  }

  @Test
  void a_claim_with_a_wrong_token_is_refused() {
    TestLane shop = serve(SHOP);
    commit(message("1"));
    TestLane wrong = new TestLane(store(), new Lane(SHOP, 0, UUID.randomUUID()));
    assertThatThrownBy(() -> wrong.claim(ALL)).isInstanceOf(LaneLostException.class);
    assertThatThrownBy(wrong::parked).isInstanceOf(LaneLostException.class);
    assertThat(shop.drain()).containsExactly("1");
  }

  @Test
  void each_destination_gets_every_message() {
    TestLane shop = serve(SHOP);
    TestLane other = serve("other");
    commit(message("1"), message("2"));
    assertThat(shop.drain()).containsExactly("1", "2");
    commit(message("3"));
    assertThat(other.drain()).containsExactly("1", "2", "3");
    assertThat(shop.drain()).containsExactly("3");
  }

  @Test
  void a_new_destination_starts_with_messages_committed_from_now_on() {
    TestLane old = serve("old");
    commit(message("before"));
    TestLane shop = serve(SHOP);
    commit(message("after"));
    assertThat(shop.drain()).containsExactly("after");
    assertThat(old.drain()).containsExactly("before", "after");
  }

  @Test
  void a_paused_destination_gets_nothing_until_it_is_resumed() {
    TestLane shop = serve(SHOP);
    commit(message("1"));
    db().pause(SHOP, true);
    Claim claim = shop.claim(ALL);
    assertThat(claim.batch()).isNull();
    assertThat(claim.state().paused()).isTrue();
    db().pause(SHOP, false);
    assertThat(shop.drain()).containsExactly("1");
  }

  @Test
  void a_claim_reports_the_rate_limit_of_its_destination() {
    TestLane shop = serve(SHOP);
    db().limit(SHOP, 12.5);
    assertThat(shop.state().ratePerSecond()).isEqualTo(12.5);
  }

  @Test
  void many_claims_in_small_pages_return_each_message_once() {
    TestLane shop = serve(SHOP);
    List<String> contents = IntStream.range(0, 200).mapToObj(String::valueOf).toList();
    for (String content : contents) {
      commit(message(content));
    }
    assertThat(shop.drain(atMost(7))).isEqualTo(contents);
  }
}
