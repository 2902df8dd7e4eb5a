package io.posthorn.testkit;

import static io.posthorn.testkit.TestLane.ALL;
import static io.posthorn.testkit.TestLane.atMost;
import static io.posthorn.testkit.TestLane.contents;
import static io.posthorn.testkit.TestLane.thenClaim;
import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.message.Message;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Claim;
import io.posthorn.core.store.ClaimLimits;
import io.posthorn.core.store.Head;
import io.posthorn.core.store.LaneLostException;
import io.posthorn.core.store.Settlement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Settled messages are never claimed again, and unsettled ones always are. */
public abstract class SettleContract extends Contract {
  private void add(int messages) {
    commit(
        IntStream.rangeClosed(1, messages).mapToObj(i -> message("" + i)).toArray(Message[]::new));
  }

  private static long seq(Batch batch, int index) {
    return batch.deliveries().get(index).seq();
  }

  @Test
  void a_settled_batch_does_not_come_again() {
    TestLane shop = serve(SHOP);
    add(3);
    shop.settle(shop.batch());
    assertThat(shop.claim(ALL).batch()).isNull();
    assertThat(takeOver(SHOP).claim(ALL).batch()).isNull();
  }

  @Test
  void the_rest_after_a_settled_prefix_comes_again() {
    TestLane shop = serve(SHOP);
    add(5);
    Batch batch = shop.batch();
    shop.settle(shop.partly(List.of(batch), seq(batch, 1), List.of()));
    assertThat(takeOver(SHOP).drain()).containsExactly("3", "4", "5");
  }

  @Test
  void messages_settled_ahead_of_the_prefix_do_not_come_again() {
    TestLane shop = serve(SHOP);
    add(6);
    Batch batch = shop.batch();
    List<Long> ahead = List.of(seq(batch, 2), seq(batch, 4));
    shop.settle(shop.partly(List.of(batch), seq(batch, 0), ahead));
    assertThat(takeOver(SHOP).drain(atMost(2))).containsExactly("2", "4", "6");
  }

  @Test
  void messages_settled_ahead_stay_settled_under_the_next_owner() {
    TestLane shop = serve(SHOP);
    add(6);
    Batch batch = shop.batch();
    shop.settle(shop.partly(List.of(batch), seq(batch, 0), List.of(seq(batch, 4))));
    TestLane second = takeOver(SHOP);
    Batch rest = second.batch();
    assertThat(contents(rest.deliveries())).containsExactly("2", "3", "4", "6");
    second.settle(second.partly(List.of(rest), seq(rest, 0), List.of(seq(rest, 2))));
    assertThat(takeOver(SHOP).drain()).containsExactly("3", "6");
  }

  @Test
  void a_batch_can_be_settled_in_several_steps() {
    TestLane shop = serve(SHOP);
    add(5);
    Batch batch = shop.batch();
    shop.settle(shop.partly(List.of(batch), batch.start(), List.of(seq(batch, 3))));
    shop.settle(shop.partly(List.of(batch), seq(batch, 1), List.of(seq(batch, 3))));
    shop.settle(batch);
    assertThat(shop.claim(ALL).batch()).isNull();
  }

  @Test
  void an_owner_whose_lane_was_taken_settles_nothing() {
    TestLane shop = serve(SHOP);
    add(2);
    Batch batch = shop.batch();
    TestLane second = takeOver(SHOP);
    assertThatThrownBy(() -> shop.settle(batch)).isInstanceOf(LaneLostException.class);
    assertThat(second.drain()).containsExactly("1", "2");
  }

  @Test
  void a_settle_with_a_different_progress_than_the_stored_one_is_refused() {
    TestLane shop = serve(SHOP);
    add(2);
    Batch batch = shop.batch();
    Settlement right = shop.settlement(List.of(batch));
    Settlement wrong =
        new Settlement(
            right.lane(),
            UUID.randomUUID(),
            right.next(),
            right.batches(),
            right.last(),
            right.ahead(),
            right.whole(),
            right.moves(),
            null);
    assertThatThrownBy(() -> store().settle(wrong)).isInstanceOf(LaneLostException.class);
    assertThat(shop.drain()).containsExactly("1", "2");
  }

  @Test
  void a_batch_claimed_at_an_older_progress_cannot_be_settled() {
    TestLane shop = serve(SHOP);
    add(2);
    Batch batch = shop.batch();
    Settlement old = shop.settlement(List.of(batch));
    shop.settle(batch);
    add(1);
    Batch next = shop.batch();
    assertThatThrownBy(() -> store().settle(old)).isInstanceOf(LaneLostException.class);
    shop.settle(next);
  }

  @Test
  void a_repeated_settlement_counts_once() {
    TestLane shop = serve(SHOP);
    add(3);
    Batch batch = shop.batch();
    Settlement settlement = shop.settlement(List.of(batch));
    Claim first = store().settle(settlement);
    Claim second = store().settle(settlement);
    assertThat(second.state().progress()).isEqualTo(first.state().progress());
    assertThat(second.state().progress()).isEqualTo(settlement.next());
    assertThat(shop.claim(ALL).batch()).isNull();
  }

  @Test
  void a_settle_can_claim_the_rest_of_the_window() {
    TestLane shop = serve(SHOP);
    add(5);
    Batch first = shop.batch(atMost(2));
    Claim claim = shop.settle(thenClaim(shop.settlement(List.of(first)), atMost(2)));
    Batch second = TestLane.batch(claim);
    assertThat(contents(second.deliveries())).containsExactly("3", "4");
    assertThat(second.progress()).isEqualTo(claim.state().progress());
    Batch third =
        TestLane.batch(shop.settle(thenClaim(shop.settlement(List.of(second)), atMost(2))));
    assertThat(contents(third.deliveries())).containsExactly("5");
    shop.settle(third);
    assertThat(shop.claim(ALL).batch()).isNull();
  }

  @Test
  void a_settle_can_claim_the_next_window() {
    TestLane shop = serve(SHOP);
    add(2);
    Batch batch = shop.batch();
    commit(message("new"));
    Claim claim = shop.settle(thenClaim(shop.settlement(List.of(batch)), ALL));
    assertThat(contents(TestLane.batch(claim).deliveries())).containsExactly("new");
    assertThat(takeOver(SHOP).drain()).containsExactly("new");
  }

  @Test
  void a_settle_that_finds_nothing_to_claim_still_settles() {
    TestLane shop = serve(SHOP);
    add(2);
    Claim claim = shop.settle(thenClaim(shop.settlement(List.of(shop.batch())), ALL));
    assertThat(claim.batch()).isNull();
    assertThat(takeOver(SHOP).claim(ALL).batch()).isNull();
  }

  @Test
  void a_settle_of_a_paused_destination_claims_nothing() {
    TestLane shop = serve(SHOP);
    add(3);
    Batch batch = shop.batch(atMost(1));
    db().pause(SHOP, true);
    Claim claim = shop.settle(thenClaim(shop.settlement(List.of(batch)), ALL));
    assertThat(claim.batch()).isNull();
    assertThat(claim.state().paused()).isTrue();
    db().pause(SHOP, false);
    assertThat(shop.drain()).containsExactly("2", "3");
  }

  @Test
  void reading_ahead_goes_on_where_the_batch_ended() {
    TestLane shop = serve(SHOP);
    add(6);
    Batch first = shop.batch(atMost(2));
    Batch second = shop.readAhead(first, atMost(2)).orElseThrow();
    Batch third = shop.readAhead(second, atMost(2)).orElseThrow();
    assertThat(contents(second.deliveries())).containsExactly("3", "4");
    assertThat(contents(third.deliveries())).containsExactly("5", "6");
    assertThat(second.start()).isEqualTo(first.end());
    assertThat(shop.readAhead(third, atMost(2))).isEmpty();
    long last = seq(second, 0);
    shop.settle(shop.partly(List.of(first, second, third), last, List.of(seq(third, 0))));
    assertThat(takeOver(SHOP).drain()).containsExactly("4", "6");
  }

  @Test
  void reading_ahead_goes_on_while_the_batch_before_is_settled() {
    TestLane shop = serve(SHOP);
    add(6);
    Batch first = shop.batch(atMost(2));
    Batch second = shop.readAhead(first, atMost(2)).orElseThrow();
    UUID known = shop.progress();
    Settlement settlement = shop.partly(List.of(first, second), first.end(), List.of());
    shop.settle(settlement);
    List<Batch> third = store().readAhead(second, Set.of(known, settlement.next()), atMost(2), 1);
    assertThat(contents(third.get(0).deliveries())).containsExactly("5", "6");
    shop.settle(List.of(second, third.get(0)));
    assertThat(shop.claim(ALL).batch()).isNull();
  }

  @Test
  void one_read_returns_several_batches_each_within_the_limits() {
    TestLane shop = serve(SHOP);
    add(7);
    Batch first = shop.batch(atMost(2));
    List<Batch> next = store().readAhead(first, Set.of(shop.progress()), atMost(2), 2);
    assertThat(next)
        .extracting(batch -> contents(batch.deliveries()))
        .containsExactly(List.of("3", "4"), List.of("5", "6"));
    assertThat(next.get(0).start()).isEqualTo(first.end());
    assertThat(next.get(1).start()).isEqualTo(next.get(0).end());
    assertThat(next).allMatch(Batch::more);
    Batch last = store().readAhead(next.get(1), Set.of(shop.progress()), atMost(2), 2).get(0);
    assertThat(contents(last.deliveries())).containsExactly("7");
    // The first of the two can be settled by itself, and read on behind.
    shop.settle(shop.partly(List.of(first, next.get(0)), next.get(0).end(), List.of()));
    assertThat(contents(shop.readAhead(next.get(0), ALL).orElseThrow().deliveries()))
        .containsExactly("5", "6", "7");
    assertThat(takeOver(SHOP).drain()).containsExactly("5", "6", "7");
  }

  @Test
  void one_read_returns_several_batches_each_within_the_byte_limit() {
    TestLane shop = serve(SHOP);
    add(5);
    Batch first = shop.batch(atMost(1));
    ClaimLimits twoBytes = new ClaimLimits(100, 2);
    assertThat(store().readAhead(first, Set.of(shop.progress()), twoBytes, 2))
        .extracting(batch -> contents(batch.deliveries()))
        .containsExactly(List.of("2", "3"), List.of("4", "5"));
  }

  @Test
  void one_read_returns_no_more_batches_than_asked_for_and_loses_nothing() {
    TestLane shop = serve(SHOP);
    commit(message("1"), message("a large one"), message("2"), message("3"), message("4"));
    Batch first = shop.batch(atMost(1));
    ClaimLimits limits = new ClaimLimits(2, 10);
    List<Batch> next = store().readAhead(first, Set.of(shop.progress()), limits, 2);
    assertThat(next)
        .extracting(batch -> contents(batch.deliveries()))
        .containsExactly(List.of("a large one"), List.of("2", "3"));
    Batch rest = shop.readAhead(next.get(1), limits).orElseThrow();
    assertThat(contents(rest.deliveries())).containsExactly("4");
  }

  @Test
  void reading_ahead_of_another_owner_s_progress_is_refused() {
    TestLane shop = serve(SHOP);
    add(6);
    Batch first = shop.batch(atMost(2));
    TestLane second = takeOver(SHOP);
    second.settle(second.batch());
    assertThatThrownBy(() -> shop.readAhead(first, ALL)).isInstanceOf(LaneLostException.class);
  }

  @Test
  void a_settle_changes_nothing_for_another_lane() {
    TestLane shop = serve(SHOP);
    TestLane other = serve("other");
    add(3);
    Batch batch = shop.batch();
    Head seen = other.state().head();
    shop.settle(batch, Moves.retry(batch.deliveries().get(0), 1, Duration.ofMinutes(1)));
    assertThat(store().head().newsSince(seen)).isFalse();
    assertThat(other.drain()).containsExactly("1", "2", "3");
    add(1);
    assertThat(store().head().newsSince(seen)).isTrue();
  }
}
