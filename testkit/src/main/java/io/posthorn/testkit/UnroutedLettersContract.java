package io.posthorn.testkit;

import static io.posthorn.testkit.TestMessages.typed;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.operation.Operation;
import io.posthorn.core.operate.operation.Operation.State;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.core.operate.steering.Steering;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.core.store.Start;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Letters of messages without a route can be requeued, and their outcomes are counted. */
public abstract class UnroutedLettersContract extends OperationTesting {
  private static final Duration GRACE = Duration.ofMinutes(10);

  /** A message that had no route in time. */
  private DeadLetter deadForWantOfARoute(String content) {
    register("other", "Other");
    commit(typed("Late", content));
    TestLane unrouted = take(RelayStore.UNROUTED);
    tend(unrouted);
    db().pass(GRACE.plusMinutes(1));
    tend(unrouted);
    store().release(unrouted.lane());
    assertThat(waiting()).isEqualTo(1);
    return letters().list(ALL, null, 1).get(0);
  }

  private void registerFromTheEarliest() {
    store()
        .register(
            APPLICATION, List.of(new ServedDestination(SHOP, Set.of("Late"), Start.EARLIEST)));
  }

  private DeadLetter.@Nullable Outcome outcome(DeadLetter letter) {
    return letters().find(letter.id()).orElseThrow().letter().outcome();
  }

  private void tend(TestLane unrouted) {
    for (int i = 0; store().tendUnrouted(unrouted.lane(), GRACE); i++) {
      assertThat(i).isLessThan(50);
    }
  }

  @Test
  void a_message_that_died_without_a_route_is_requeued_to_the_destinations_that_want_it_now() {
    DeadLetter letter = deadForWantOfARoute("late");
    register(SHOP, "Late");
    TestLane unrouted = take(RelayStore.UNROUTED);
    tend(unrouted);
    Operation started = start(Plan.requeue(ALL).withCanary(1));
    steps(started);
    tend(unrouted);
    TestLane shop = take(SHOP);
    shop.claim(TestLane.ALL);
    assertThat(deliver(shop, Moves::sent)).containsExactly("late");
    Operation ended = steps(started);
    assertThat(ended.state()).isEqualTo(State.DONE);
    assertThat(ended.sent()).isEqualTo(1);
    assertThat(waiting()).isZero();
    assertThat(outcome(letter)).isEqualTo(DeadLetter.Outcome.SENT);
  }

  @Test
  void a_message_that_its_destination_reads_from_the_log_comes_once_and_counts_as_sent() {
    DeadLetter letter = deadForWantOfARoute("late");
    Operation started = steps(start(Plan.requeue(ALL)));
    registerFromTheEarliest();
    assertThat(now(started).underWay()).isZero();
    assertThat(outcome(letter)).isEqualTo(DeadLetter.Outcome.SENT);
    tend(take(RelayStore.UNROUTED));
    TestLane shop = take(SHOP);
    assertThat(shop.drain()).containsExactly("late");
    assertThat(shop.parked()).isEmpty();
    assertThat(now(started).sent()).isEqualTo(1);
  }

  @Test
  void a_message_that_is_skipped_after_it_was_handed_over_is_counted_once() {
    DeadLetter letter = deadForWantOfARoute("late");
    Operation started = steps(start(Plan.requeue(ALL)));
    registerFromTheEarliest();
    Steering.on(db().operator()).skip(RelayStore.UNROUTED, letter.messageId(), ANNA);
    assertThat(now(started).sent()).isEqualTo(1);
    assertThat(now(started).died()).isZero();
  }

  @Test
  void a_message_that_its_destination_already_parked_is_not_parked_again_and_counts_as_sent() {
    DeadLetter letter = deadForWantOfARoute("late");
    registerFromTheEarliest();
    TestLane unrouted = take(RelayStore.UNROUTED);
    tend(unrouted);
    TestLane shop = take(SHOP);
    Batch batch = shop.batch();
    shop.settle(batch, Moves.retry(only(batch), 1, Duration.ZERO));
    Operation started = steps(start(Plan.requeue(ALL)));
    tend(unrouted);
    assertThat(now(started).underWay()).isZero();
    assertThat(outcome(letter)).isEqualTo(DeadLetter.Outcome.SENT);
    assertThat(shop.parked()).singleElement().matches(parked -> parked.attempts() == 1);
    assertThat(db().parked(RelayStore.UNROUTED)).isEmpty();
  }

  @Test
  void a_message_handed_to_a_destination_that_parked_another_with_its_id_counts_as_died() {
    Message first = typed("Early", "1");
    register(SHOP, "Early");
    TestLane shop = take(SHOP);
    commit(first);
    Batch batch = shop.batch();
    shop.settle(batch, Moves.retry(only(batch), 1, Duration.ofHours(9)));
    Message late = typed("Late", "2");
    commit(
        new Message(
            first.id(),
            false,
            late.type(),
            1,
            null,
            late.payload(),
            late.contentType(),
            late.headers(),
            late.occurredAt(),
            null));
    TestLane unrouted = take(RelayStore.UNROUTED);
    tend(unrouted);
    db().pass(GRACE.plusMinutes(1));
    tend(unrouted);
    DeadLetter letter = letters().list(ALL, null, 1).get(0);
    assertThat(letter.reason()).isEqualTo(Reason.NO_ROUTE);
    Operation started = steps(start(Plan.requeue(ALL)));
    register(SHOP, "Early", "Late");
    tend(unrouted);
    DeadLetter again = letters().list(ALL, null, 1).get(0);
    assertThat(again.reason()).isEqualTo(Reason.ID_REUSED);
    assertThat(letters().find(again.id()).orElseThrow().previous()).isEqualTo(letter.id());
    assertThat(outcome(letter)).isEqualTo(DeadLetter.Outcome.DEAD);
    assertThat(now(started).died()).isEqualTo(1);
    assertThat(now(started).sent()).isZero();
  }

  @Test
  void a_requeued_message_that_still_has_no_route_is_dead_again_and_counts_as_died() {
    commit(typed("Unwanted", "1"));
    TestLane unrouted = take(RelayStore.UNROUTED);
    tend(unrouted);
    db().pass(GRACE.plusMinutes(1));
    tend(unrouted);
    Operation started = start(Plan.requeue(ALL));
    steps(started);
    tend(unrouted);
    assertThat(now(started).died()).isEqualTo(1);
    assertThat(waiting()).isEqualTo(1);
  }

  @Test
  void requeued_messages_of_one_key_that_still_have_no_route_are_dead_again_together() {
    for (int i = 0; i < 3; i++) {
      commit(Message.of("Unwanted").key("order", "42").json(new byte[0]).build());
    }
    TestLane unrouted = take(RelayStore.UNROUTED);
    tend(unrouted);
    db().pass(GRACE.plusMinutes(1));
    tend(unrouted);
    assertThat(waiting()).isEqualTo(3);
    Operation started = start(Plan.requeue(ALL));
    steps(started);
    tend(unrouted);
    assertThat(now(started).died()).isEqualTo(3);
  }
}
