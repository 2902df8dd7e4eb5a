package io.posthorn.testkit;

import static io.posthorn.testkit.Moves.die;
import static io.posthorn.testkit.Moves.park;
import static io.posthorn.testkit.Moves.retry;
import static io.posthorn.testkit.Moves.sent;
import static io.posthorn.testkit.Moves.turn;
import static io.posthorn.testkit.TestLane.ALL;
import static io.posthorn.testkit.TestLane.atMost;
import static io.posthorn.testkit.TestLane.contents;
import static io.posthorn.testkit.TestLane.thenClaim;
import static io.posthorn.testkit.TestMessages.key;
import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Claim;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Settlement;
import io.posthorn.core.store.Waiting;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A message that fails waits outside the log, and delays only its own key. */
public abstract class ParkingContract extends Contract {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  /** Three of key k: the first failed, the others queue up behind it. */
  private TestLane shopWithParkedKey() {
    TestLane shop = serve(SHOP);
    commit(keyed("k", "1"), keyed("k", "2"), keyed("k", "3"));
    Batch batch = shop.batch();
    List<Delivery> three = batch.deliveries();
    shop.settle(batch, retry(three.get(0), 1, MINUTE), turn(three.get(1)), turn(three.get(2)));
    return shop;
  }

  @Test
  void a_failed_message_is_retried_after_its_backoff_and_not_before() {
    TestLane shop = serve(SHOP);
    commit(message("1"));
    Batch batch = shop.batch();
    Claim claim = shop.settle(batch, retry(only(batch), 1, MINUTE));
    assertThat(claim.state().dueIn()).isBetween(Duration.ofSeconds(50), MINUTE);
    assertThat(shop.claim(ALL).batch()).isNull();
    assertThat(shop.parked()).isEmpty();
    assertThat(store().look(List.of(SHOP)).due()).isEmpty();
    db().pass(MINUTE);
    assertThat(store().look(List.of(SHOP, "nobody")).due()).containsExactly(SHOP);
    assertThat(contents(shop.parked())).containsExactly("1");
  }

  @Test
  void a_parked_message_keeps_its_attempts_and_since_when_it_has_been_failing() {
    TestLane shop = serve(SHOP);
    commit(message("1"));
    Batch batch = shop.batch();
    shop.settle(batch, retry(only(batch), 1, MINUTE));
    db().pass(MINUTE);
    Delivery second = shop.parked().get(0);
    assertThat(second.parked()).isTrue();
    assertThat(second.attempts()).isEqualTo(1);
    assertThat(second.seq()).isEqualTo(only(batch).seq());
    assertThat(second.failingFor()).isBetween(MINUTE, MINUTE.plusSeconds(30));
    shop.settle(retry(second, 2, MINUTE));
    db().pass(MINUTE);
    Delivery third = shop.parked().get(0);
    assertThat(third.attempts()).isEqualTo(2);
    assertThat(third.failingFor()).isBetween(MINUTE.multipliedBy(2), MINUTE.multipliedBy(3));
  }

  @Test
  void later_messages_of_a_parked_key_are_marked_as_blocked() {
    TestLane shop = shopWithParkedKey();
    commit(keyed("k", "4"), keyed("l", "5"), message("6"));
    Batch batch = shop.batch();
    assertThat(batch.deliveries()).hasSize(3);
    assertThat(batch.blocked()).containsExactly(key("k"));
  }

  @Test
  void a_settle_that_parks_a_key_blocks_the_key_in_the_next_batch() {
    TestLane shop = serve(SHOP);
    commit(keyed("k", "1"), keyed("k", "2"));
    Batch first = shop.batch(atMost(1));
    Settlement settlement = shop.settlement(List.of(first), retry(only(first), 1, MINUTE));
    Batch second = TestLane.batch(shop.settle(thenClaim(settlement, ALL)));
    assertThat(second.blocked()).containsExactly(key("k"));
  }

  @Test
  void reading_ahead_marks_later_messages_of_a_parked_key_as_blocked() {
    TestLane shop = shopWithParkedKey();
    commit(message("4"), keyed("k", "5"));
    Batch first = shop.batch(atMost(1));
    assertThat(first.blocked()).isEmpty();
    assertThat(shop.readAhead(first, ALL).orElseThrow().blocked()).containsExactly(key("k"));
  }

  @Test
  void all_messages_of_a_parked_key_come_back_in_order() {
    TestLane shop = shopWithParkedKey();
    db().pass(MINUTE);
    assertThat(contents(shop.parked())).containsExactly("1", "2", "3");
  }

  @Test
  void later_messages_wait_while_the_first_of_their_key_waits() {
    TestLane shop = shopWithParkedKey();
    assertThat(shop.parked()).isEmpty();
    assertThat(db().parked(SHOP))
        .extracting(TestDatabase.Parked::waiting)
        .containsExactly(Waiting.RETRY, Waiting.TURN, Waiting.TURN);
    assertThat(db().parked(SHOP).get(1).attempts()).isZero();
  }

  @Test
  void the_next_message_of_a_key_is_due_at_once_when_the_first_was_sent() {
    TestLane shop = shopWithParkedKey();
    db().pass(MINUTE);
    Claim claim = shop.settle(sent(shop.parked(atMost(1)).get(0)));
    assertThat(claim.state().dueIn()).isZero();
    assertThat(store().look(List.of(SHOP)).due()).containsExactly(SHOP);
    assertThat(contents(shop.parked())).containsExactly("2", "3");
  }

  @Test
  void the_next_message_of_a_key_is_due_at_once_when_the_first_is_dead() {
    TestLane shop = shopWithParkedKey();
    db().pass(MINUTE);
    shop.settle(die(shop.parked().get(0), 2, AfterDead.CONTINUE));
    assertThat(contents(shop.parked())).containsExactly("2", "3");
  }

  @Test
  void the_rest_of_a_key_is_due_at_once_when_a_message_of_the_log_dies() {
    TestLane shop = serve(SHOP);
    commit(keyed("k", "1"), keyed("k", "2"));
    Batch batch = shop.batch();
    shop.settle(
        batch,
        die(batch.deliveries().get(0), 1, AfterDead.CONTINUE),
        turn(batch.deliveries().get(1)));
    assertThat(contents(shop.parked())).containsExactly("2");
  }

  @Test
  void the_rest_of_a_key_waits_again_when_its_first_message_fails_again() {
    TestLane shop = shopWithParkedKey();
    db().pass(MINUTE);
    List<Delivery> run = shop.parked();
    Claim claim = shop.settle(retry(run.get(0), 2, MINUTE), turn(run.get(1)), turn(run.get(2)));
    assertThat(claim.state().dueIn()).isBetween(Duration.ofSeconds(50), MINUTE);
    assertThat(shop.parked()).isEmpty();
    db().pass(MINUTE);
    assertThat(contents(shop.parked())).containsExactly("1", "2", "3");
  }

  @Test
  void a_failed_message_stops_the_later_messages_of_its_key() {
    TestLane shop = shopWithParkedKey();
    db().pass(MINUTE);
    List<Delivery> run = shop.parked();
    shop.settle(sent(run.get(0)), retry(run.get(1), 1, MINUTE));
    assertThat(shop.parked()).isEmpty();
    db().pass(MINUTE);
    assertThat(contents(shop.parked())).containsExactly("2", "3");
  }

  @Test
  void parked_messages_without_a_key_do_not_wait_for_each_other() {
    TestLane shop = serve(SHOP);
    commit(message("1"), message("2"));
    Batch batch = shop.batch();
    shop.settle(
        batch,
        retry(batch.deliveries().get(0), 1, MINUTE),
        retry(batch.deliveries().get(1), 1, Duration.ZERO));
    assertThat(contents(shop.parked())).containsExactly("2");
  }

  @Test
  void the_first_message_of_each_key_comes_before_the_second_of_any_key() {
    TestLane shop = serve(SHOP);
    commit(keyed("k", "k1"), keyed("k", "k2"), keyed("k", "k3"), keyed("l", "l1"), message("m"));
    Batch batch = shop.batch();
    List<Delivery> all = batch.deliveries();
    shop.settle(
        batch,
        retry(all.get(0), 1, Duration.ZERO),
        turn(all.get(1)),
        turn(all.get(2)),
        retry(all.get(3), 1, Duration.ZERO),
        retry(all.get(4), 1, Duration.ZERO));
    assertThat(contents(shop.parked()).subList(0, 3)).containsExactlyInAnyOrder("k1", "l1", "m");
    assertThat(contents(shop.parked()).subList(3, 5)).containsExactly("k2", "k3");
    assertThat(shop.parked(atMost(2))).hasSize(2);
  }

  @Test
  void a_message_without_code_for_its_type_waits_and_no_attempt_counts() {
    TestLane shop = serve(SHOP);
    commit(message("1"));
    Batch batch = shop.batch();
    shop.settle(batch, park(only(batch), Waiting.CODE, 0, MINUTE));
    TestDatabase.Parked parked = db().parked(SHOP).get(0);
    assertThat(parked.waiting()).isEqualTo(Waiting.CODE);
    assertThat(parked.attempts()).isZero();
    assertThat(db().attempts(SHOP, parked.id())).isEmpty();
    db().pass(MINUTE);
    Delivery again = shop.parked().get(0);
    assertThat(again.attempts()).isZero();
    assertThat(again.failingFor()).isZero();
  }

  @Test
  void one_settle_can_park_a_message_and_send_it() {
    TestLane shop = serve(SHOP);
    commit(keyed("k", "1"), keyed("k", "2"));
    Batch batch = shop.batch();
    Delivery first = batch.deliveries().get(0);
    shop.settle(
        batch,
        park(first, Waiting.ANSWER, 0, MINUTE),
        turn(batch.deliveries().get(1)),
        sent(first.asParked()));
    assertThat(contents(shop.parked())).containsExactly("2");
  }

  @Test
  void a_repeated_settle_of_parked_messages_counts_once() {
    TestLane shop = shopWithParkedKey();
    db().pass(MINUTE);
    List<Delivery> run = shop.parked();
    Settlement settlement =
        shop.settlement(
            List.of(),
            die(run.get(0), 2, AfterDead.CONTINUE),
            sent(run.get(1)),
            retry(run.get(2), 1, MINUTE));
    shop.settle(settlement);
    shop.settle(settlement);
    assertThat(db().dead(SHOP)).hasSize(1);
    assertThat(db().attempts(SHOP, run.get(1).message().id())).hasSize(1);
    assertThat(db().parked(SHOP))
        .singleElement()
        .satisfies(p -> assertThat(p.attempts()).isEqualTo(1));
  }

  @Test
  void each_destination_has_its_own_parked_messages() {
    TestLane shop = serve(SHOP);
    TestLane other = serve("other");
    commit(keyed("k", "1"));
    Batch batch = shop.batch();
    shop.settle(batch, retry(only(batch), 1, Duration.ZERO));
    commit(keyed("k", "2"));
    assertThat(other.parked()).isEmpty();
    assertThat(other.batch().blocked()).isEqualTo(Set.of());
  }
}
