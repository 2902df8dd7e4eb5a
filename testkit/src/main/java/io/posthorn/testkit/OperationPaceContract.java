package io.posthorn.testkit;

import static io.posthorn.testkit.Moves.sent;
import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.message.Message;
import io.posthorn.core.operate.operation.Operation;
import io.posthorn.core.operate.operation.Operation.State;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Move;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How fast an operation goes on, what it waits for, and when it stops by itself. */
public abstract class OperationPaceContract extends OperationTesting {
  @Test
  void the_rest_waits_until_the_outcome_of_the_canary_is_known() {
    TestLane shop = dead(5);
    Operation started = start(Plan.requeue(ALL).withCanary(2));
    Operation waits = steps(started);
    assertThat(waits.done()).isEqualTo(2);
    assertThat(waits.waitsForCanary()).isTrue();
    assertThat(deliver(shop, Moves::sent)).containsExactlyInAnyOrder("1", "2");
    Operation ended = steps(started);
    assertThat(ended.state()).isEqualTo(State.DONE);
    assertThat(ended.done()).isEqualTo(5);
  }

  @Test
  void a_canary_whose_messages_die_stops_the_operation() {
    TestLane shop = dead(5);
    Operation started = start(Plan.requeue(ALL).withCanary(2));
    steps(started);
    deliver(shop, OperationTesting::dies);
    Operation stopped = steps(started);
    assertThat(stopped.state()).isEqualTo(State.STOPPED);
    assertThat(stopped.note()).contains("2 of 2 died again");
    assertThat(stopped.done()).isEqualTo(2);
    assertThat(shop.parked()).isEmpty();
    assertThat(waiting()).isEqualTo(5);
  }

  @Test
  void after_the_canary_a_few_dead_messages_do_not_stop_the_operation() {
    TestLane shop = dead(250);
    Operation started = start(Plan.requeue(ALL).withCanary(1));
    steps(started);
    deliver(shop, Moves::sent);
    store().runOperations();
    List<Delivery> due = shop.parked();
    shop.settle(dies(due.get(0)), dies(due.get(1)), dies(due.get(2)), sent(due.get(3)));
    store().runOperations();
    assertThat(now(started).state()).isEqualTo(State.RUNNING);
  }

  @Test
  void an_operation_stops_when_too_large_a_share_dies_again_and_can_be_resumed() {
    TestLane shop = dead(250);
    Operation started = start(Plan.requeue(ALL).stoppingAt(0.1));
    store().runOperations();
    List<Delivery> due = shop.parked();
    assertThat(due).hasSize(100);
    shop.settle(
        due.stream()
            .map(delivery -> delivery.equals(due.get(0)) ? dies(delivery) : sent(delivery))
            .toArray(Move[]::new));
    store().runOperations();
    assertThat(now(started).state()).isEqualTo(State.RUNNING);
    deliver(shop, OperationTesting::dies);
    Operation stopped = steps(started);
    assertThat(stopped.state()).isEqualTo(State.STOPPED);
    assertThat(stopped.done()).isEqualTo(200);
    operations().resume(started.id(), ANNA);
    assertThat(steps(started).state()).isEqualTo(State.DONE);
    assertThat(now(started).done()).isEqualTo(250);
  }

  @Test
  void at_most_two_hundred_messages_wait_for_their_first_attempt_at_once() {
    TestLane shop = dead(301);
    Operation started = start(Plan.requeue(ALL));
    assertThat(steps(started).done()).isEqualTo(200);
    deliver(shop, Moves::sent);
    assertThat(steps(started).done()).isEqualTo(301);
  }

  @Test
  void messages_that_are_being_retried_do_not_delay_the_rest() {
    TestLane shop = dead(301);
    Operation started = start(Plan.requeue(ALL));
    steps(started);
    deliver(shop, delivery -> Moves.retry(delivery, delivery.attempts() + 1, Duration.ZERO));
    // The same ones fail once more: they are counted once.
    deliver(shop, delivery -> Moves.retry(delivery, delivery.attempts() + 1, Duration.ZERO));
    assertThat(now(started).retrying()).isEqualTo(200);
    assertThat(steps(started).done()).isEqualTo(301);
    List<Delivery> due = shop.parked();
    shop.settle(
        due.stream()
            .map(delivery -> delivery.attempts() % 2 == 0 ? sent(delivery) : dies(delivery))
            .toArray(Move[]::new));
    assertThat(now(started).underWay()).isZero();
    assertThat(now(started).retrying()).isZero();
  }

  @Test
  void an_operation_waits_while_two_thousand_of_its_messages_are_being_retried() {
    TestLane shop = dead(2_101);
    Operation started = start(Plan.requeue(ALL));
    for (int round = 0; round < 10; round++) {
      steps(started);
      deliver(
          shop, delivery -> Moves.retry(delivery, delivery.attempts() + 1, Duration.ofHours(1)));
    }
    assertThat(now(started).retrying()).isEqualTo(2_000);
    assertThat(steps(started).done()).isEqualTo(2_000);
    db().pass(Duration.ofHours(1));
    deliver(shop, Moves::sent);
    assertThat(steps(started).done()).isEqualTo(2_101);
  }

  @Test
  void an_operation_looks_less_often_the_longer_nothing_changes() {
    dead(2);
    steps(start(Plan.requeue(ALL).withCanary(1)));
    assertThat(store().runOperations().orElseThrow()).isLessThan(Duration.ofSeconds(1));
    db().pass(Duration.ofMinutes(1));
    assertThat(store().runOperations()).contains(Duration.ofSeconds(1));
  }

  @Test
  void messages_that_wait_behind_others_of_their_key_do_not_delay_the_rest() {
    TestLane shop =
        allDie(
            Stream.concat(
                    IntStream.rangeClosed(1, 200).mapToObj(i -> keyed("k", "" + i)),
                    IntStream.rangeClosed(201, 301).mapToObj(i -> message("" + i)))
                .toArray(Message[]::new));
    Operation started = start(Plan.requeue(ALL));
    assertThat(steps(started).done()).isEqualTo(200);
    // The first of the key fails; the others wait for it.
    List<Delivery> due = shop.parked();
    shop.settle(Moves.retry(due.get(0), due.get(0).attempts() + 1, Duration.ofHours(1)));
    assertThat(steps(started).done()).isEqualTo(200);
    db().pass(Duration.ofSeconds(1));
    assertThat(steps(started).done()).isEqualTo(301);
    assertThat(deliver(shop, Moves::sent)).hasSize(101);
  }

  @Test
  void an_operation_keeps_its_rate() {
    dead(10);
    Operation started = start(Plan.requeue(ALL).withRate(2.0));
    assertThat(steps(started).done()).isLessThanOrEqualTo(1);
    db().pass(Duration.ofMinutes(1));
    // An unused part of the rate is not saved up.
    long before = now(started).done();
    assertThat(steps(started).done() - before).isBetween(2L, 3L);
  }
}
