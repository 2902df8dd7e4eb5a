package io.posthorn.testkit;

import static io.posthorn.testkit.Moves.die;
import static io.posthorn.testkit.Moves.sent;
import static io.posthorn.testkit.TestLane.contents;
import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static io.posthorn.testkit.TestMessages.typed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.audit.Audit;
import io.posthorn.core.audit.AuditEntry;
import io.posthorn.core.audit.By;
import io.posthorn.core.deadletter.DeadLetter;
import io.posthorn.core.deadletter.DeadLetterQuery;
import io.posthorn.core.deadletter.DeadLetters;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Message;
import io.posthorn.core.operation.Operation;
import io.posthorn.core.operation.Operation.State;
import io.posthorn.core.operation.Operations;
import io.posthorn.core.operation.Plan;
import io.posthorn.core.operation.Preview;
import io.posthorn.core.steering.Scope;
import io.posthorn.core.steering.Steering;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Move;
import io.posthorn.core.store.RelayStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Bulk actions on dead letters: previewed, paced, judged, stopped, resumed; none is done twice. */
public abstract class OperationContract extends Contract {
  private static final By ANNA = new By("anna", "the receiver is mended");
  private static final DeadLetterQuery ALL = DeadLetterQuery.waiting();
  private static final Duration GRACE = Duration.ofMinutes(10);

  private Operations operations() {
    return Operations.on(db().operator());
  }

  private DeadLetters letters() {
    return DeadLetters.on(db().operator());
  }

  private long waiting() {
    return letters().count(ALL);
  }

  private Operation start(Plan plan) {
    return operations().start(plan, ANNA);
  }

  private Operation now(Operation operation) {
    return operations().find(operation.id()).orElseThrow();
  }

  /** Steps, as a relay takes them, until there is nothing to do at once. */
  private Operation steps(Operation operation) {
    while (store().runOperations().filter(Duration::isZero).isPresent()) {
      // The next one.
    }
    return now(operation);
  }

  /** So many messages without a key die for the shop. */
  private TestLane dead(int count) {
    return allDie(
        IntStream.rangeClosed(1, count).mapToObj(i -> message("" + i)).toArray(Message[]::new));
  }

  private TestLane allDie(Message... messages) {
    TestLane shop = serve(SHOP);
    commit(messages);
    Batch batch = shop.batch();
    shop.settle(
        batch, batch.deliveries().stream().map(OperationContract::dies).toArray(Move[]::new));
    return shop;
  }

  private static Move dies(Delivery delivery) {
    return die(delivery, delivery.attempts() + 1, AfterDead.CONTINUE);
  }

  /** All that is due is tried; returns what it was. */
  private static List<String> deliver(TestLane shop, Function<Delivery, Move> move) {
    List<Delivery> due = shop.parked();
    shop.settle(due.stream().map(move).toArray(Move[]::new));
    return contents(due);
  }

  @Test
  void a_preview_counts_and_changes_nothing() {
    dead(3);
    assertThat(operations().preview(Plan.requeue(ALL)).count()).isEqualTo(3);
    assertThat(waiting()).isEqualTo(3);
    assertThat(operations().list(10)).isEmpty();
  }

  @Test
  void a_preview_tells_how_many_have_younger_messages_already_out() {
    TestLane shop = serve(SHOP);
    commit(keyed("k", "1"), keyed("l", "2"), keyed("l", "3"), message("4"));
    Batch batch = shop.batch();
    List<Delivery> all = batch.deliveries();
    shop.settle(batch, dies(all.get(0)), dies(all.get(1)), dies(all.get(3)));
    Preview preview = operations().preview(Plan.requeue(ALL));
    assertThat(preview.count()).isEqualTo(3);
    assertThat(preview.looked()).isEqualTo(3);
    assertThat(preview.overtaken()).isEqualTo(1);
  }

  @Test
  void all_that_match_are_requeued_and_it_is_known_what_came_of_them() {
    TestLane shop = dead(5);
    Operation started = start(Plan.requeue(ALL));
    assertThat(started.state()).isEqualTo(State.RUNNING);
    assertThat(started.total()).isEqualTo(5);
    Operation ended = steps(started);
    assertThat(ended.state()).isEqualTo(State.DONE);
    assertThat(ended.done()).isEqualTo(5);
    assertThat(ended.underWay()).isEqualTo(5);
    List<Delivery> due = shop.parked();
    shop.settle(
        sent(due.get(0)), sent(due.get(1)), sent(due.get(2)), sent(due.get(3)), dies(due.get(4)));
    assertThat(now(started).sent()).isEqualTo(4);
    assertThat(now(started).died()).isEqualTo(1);
    assertThat(now(started).underWay()).isZero();
    assertThat(waiting()).isEqualTo(1);
  }

  @Test
  void only_what_matches_is_touched() {
    allDie(keyed("k", "1"), keyed("l", "2"));
    Operation ended = steps(start(Plan.discard(DeadLetterQuery.builder().key("k").build())));
    assertThat(ended.done()).isEqualTo(1);
    assertThat(letters().list(ALL, null, 10))
        .extracting(DeadLetter::key)
        .containsExactly(TestMessages.key("l"));
  }

  @Test
  void letters_that_come_to_be_after_the_start_are_no_part_of_it() {
    TestLane shop = dead(2);
    Operation started = start(Plan.requeue(ALL).withCanary(1));
    steps(started);
    deliver(shop, OperationContract::dies);
    commit(message("late"));
    Batch batch = shop.batch();
    shop.settle(batch, dies(only(batch)));
    operations().stop(started.id(), ANNA);
    operations().resume(started.id(), ANNA);
    Operation ended = steps(started);
    assertThat(ended.state()).isEqualTo(State.DONE);
    assertThat(ended.done()).isEqualTo(2);
    assertThat(waiting()).isEqualTo(2);
  }

  @Test
  void requeued_messages_of_a_key_keep_their_order_whichever_died_first() {
    TestLane shop = serve(SHOP);
    commit(keyed("k", "1"), keyed("k", "2"), keyed("k", "3"));
    Batch batch = shop.batch();
    List<Delivery> all = batch.deliveries();
    // The first dies last.
    shop.settle(
        batch, Moves.retry(all.get(0), 1, Duration.ZERO), dies(all.get(1)), dies(all.get(2)));
    shop.settle(dies(shop.parked().get(0)));
    assertThat(steps(start(Plan.requeue(ALL))).done()).isEqualTo(3);
    List<String> arrived = new ArrayList<>();
    while (arrived.size() < 3) {
      arrived.addAll(deliver(shop, Moves::sent));
    }
    assertThat(arrived).containsExactly("1", "2", "3");
  }

  @Test
  void the_rest_waits_until_it_is_known_what_came_of_the_canary() {
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
  void a_canary_that_dies_stops_it() {
    TestLane shop = dead(5);
    Operation started = start(Plan.requeue(ALL).withCanary(2));
    steps(started);
    deliver(shop, OperationContract::dies);
    Operation stopped = steps(started);
    assertThat(stopped.state()).isEqualTo(State.STOPPED);
    assertThat(stopped.note()).contains("2 of 2 died again");
    assertThat(stopped.done()).isEqualTo(2);
    assertThat(shop.parked()).isEmpty();
    assertThat(waiting()).isEqualTo(5);
  }

  @Test
  void after_the_canary_a_few_that_die_do_not_stop_it() {
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
  void it_stops_when_too_large_a_share_dies_again_and_can_be_resumed() {
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
    deliver(shop, OperationContract::dies);
    Operation stopped = steps(started);
    assertThat(stopped.state()).isEqualTo(State.STOPPED);
    assertThat(stopped.done()).isEqualTo(200);
    operations().resume(started.id(), ANNA);
    assertThat(steps(started).state()).isEqualTo(State.DONE);
    assertThat(now(started).done()).isEqualTo(250);
  }

  @Test
  void only_so_many_wait_for_their_first_attempt_at_once() {
    TestLane shop = dead(301);
    Operation started = start(Plan.requeue(ALL));
    assertThat(steps(started).done()).isEqualTo(200);
    deliver(shop, Moves::sent);
    assertThat(steps(started).done()).isEqualTo(301);
  }

  @Test
  void those_that_are_tried_again_do_not_hold_up_the_rest() {
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
  void it_waits_when_very_many_are_tried_again() {
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
  void the_longer_nothing_moves_the_later_it_looks_again() {
    dead(2);
    steps(start(Plan.requeue(ALL).withCanary(1)));
    assertThat(store().runOperations().orElseThrow()).isLessThan(Duration.ofSeconds(1));
    db().pass(Duration.ofMinutes(1));
    assertThat(store().runOperations()).contains(Duration.ofSeconds(1));
  }

  @Test
  void those_that_do_not_move_do_not_hold_up_the_rest() {
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
  void a_rate_is_kept() {
    dead(10);
    Operation started = start(Plan.requeue(ALL).withRate(2.0));
    assertThat(steps(started).done()).isLessThanOrEqualTo(1);
    db().pass(Duration.ofMinutes(1));
    // What was not used is not saved up.
    long before = now(started).done();
    assertThat(steps(started).done() - before).isBetween(2L, 3L);
  }

  @Test
  void a_stopped_one_does_nothing_until_it_is_resumed() {
    dead(3);
    Operation started = start(Plan.requeue(ALL));
    Operation stopped = operations().stop(started.id(), new By("ben", "wrong letters"));
    assertThat(stopped.state()).isEqualTo(State.STOPPED);
    assertThat(stopped.note()).contains("ben").contains("wrong letters");
    assertThat(store().runOperations()).isEmpty();
    assertThat(waiting()).isEqualTo(3);
    assertThatThrownBy(() -> operations().stop(started.id(), ANNA))
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining("it is STOPPED");
    operations().resume(started.id(), ANNA);
    assertThat(steps(started).done()).isEqualTo(3);
    assertThatThrownBy(() -> operations().resume(UUID.randomUUID(), ANNA))
        .hasMessageContaining("there is no operation");
  }

  @Test
  void what_somebody_rescued_meanwhile_is_left_alone() {
    dead(3);
    Operation started = start(Plan.requeue(ALL));
    letters().discard(List.of(letters().list(ALL, null, 1).get(0).id()), ANNA);
    assertThat(steps(started).done()).isEqualTo(2);
  }

  @Test
  void letters_are_sent_once_and_discarded_in_bulk() {
    TestLane shop = dead(3);
    Operation once = steps(start(Plan.sendOnce(ALL)));
    assertThat(shop.parked()).hasSize(3).allMatch(Delivery::once);
    deliver(shop, OperationContract::dies);
    assertThat(now(once).died()).isEqualTo(3);
    Operation discarded = steps(start(Plan.discard(ALL)));
    assertThat(discarded.done()).isEqualTo(3);
    assertThat(discarded.underWay()).isZero();
    assertThat(waiting()).isZero();
  }

  @Test
  void two_who_work_on_one_do_nothing_twice() throws Throwable {
    TestLane shop = dead(1_500);
    Operation started = start(Plan.requeue(ALL));
    List<String> arrived = new ArrayList<>();
    Background.Work work =
        () -> {
          while (now(started).state() == State.RUNNING) {
            store().runOperations();
          }
        };
    Background one = Background.run(work);
    Background two = Background.run(work);
    while (now(started).state() == State.RUNNING) {
      arrived.addAll(deliver(shop, Moves::sent));
    }
    one.join();
    two.join();
    arrived.addAll(deliver(shop, Moves::sent));
    assertThat(now(started).done()).isEqualTo(1_500);
    assertThat(now(started).refused()).isZero();
    assertThat(arrived).hasSize(1_500).doesNotHaveDuplicates();
  }

  @Test
  void start_stop_resume_and_end_are_in_the_audit() {
    dead(2);
    Operation started = start(Plan.requeue(ALL));
    operations().stop(started.id(), new By("ben", "lunch"));
    operations().resume(started.id(), ANNA);
    steps(started);
    List<AuditEntry> audit = Audit.on(db().operator()).after(0, 10);
    assertThat(audit)
        .extracting(AuditEntry::action)
        .containsExactly("operation.start", "operation.stop", "operation.resume", "operation.end");
    assertThat(audit).allMatch(entry -> entry.target().contains(started.id().toString()));
    assertThat(audit.get(0).after()).contains("REQUEUE").contains("2");
    assertThat(audit.get(1).why()).isEqualTo("lunch");
    assertThat(audit.get(3).after()).contains("2 done");
    assertThat(Audit.on(db().operator()).verify().broken()).isEmpty();
  }

  @Test
  void a_plan_that_makes_no_sense_is_refused() {
    assertThatThrownBy(() -> Plan.discard(ALL).withCanary(1)).hasMessageContaining("canary");
    assertThatThrownBy(() -> Plan.requeue(ALL).withRate(0.0)).hasMessageContaining("no rate");
    assertThatThrownBy(() -> Plan.requeue(ALL).stoppingAt(2)).hasMessageContaining("no share");
  }

  /** A message that nobody wanted, and a route that comes when it is dead. */
  private Message deadForWantOfARoute(String content) {
    register("other", "Other");
    Message message = typed("Late", content);
    commit(message);
    TestLane unrouted = take(RelayStore.UNROUTED);
    tend(unrouted);
    db().pass(GRACE.plusMinutes(1));
    tend(unrouted);
    assertThat(waiting()).isEqualTo(1);
    register(SHOP, "Late");
    tend(unrouted);
    store().release(unrouted.lane());
    return message;
  }

  private void tend(TestLane unrouted) {
    for (int i = 0; store().tendUnrouted(unrouted.lane(), GRACE); i++) {
      assertThat(i).isLessThan(50);
    }
  }

  @Test
  void a_message_dead_for_want_of_a_route_is_requeued_to_whoever_wants_it_now() {
    deadForWantOfARoute("late");
    Operation started = start(Plan.requeue(ALL).withCanary(1));
    steps(started);
    tend(take(RelayStore.UNROUTED));
    TestLane shop = take(SHOP);
    shop.claim(TestLane.ALL);
    assertThat(deliver(shop, Moves::sent)).containsExactly("late");
    Operation ended = steps(started);
    assertThat(ended.state()).isEqualTo(State.DONE);
    assertThat(ended.sent()).isEqualTo(1);
    assertThat(waiting()).isZero();
    DeadLetterQuery requeued =
        DeadLetterQuery.builder().states(Set.of(DeadLetter.State.REQUEUED)).build();
    assertThat(letters().list(requeued, null, 10))
        .extracting(DeadLetter::outcome)
        .containsExactly(DeadLetter.Outcome.SENT);
  }

  @Test
  void a_message_that_still_nobody_wants_is_dead_again_and_the_operation_knows() {
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
  void messages_of_one_key_that_still_nobody_wants_are_dead_again_all_at_once() {
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

  @Test
  void what_waits_behind_a_held_or_paused_key_is_left_alone_and_holds_nothing_up() {
    TestLane shop = serve(SHOP);
    commit(keyed("k", "1"), keyed("k", "2"), keyed("l", "3"), message("4"));
    Batch batch = shop.batch();
    List<Delivery> all = batch.deliveries();
    shop.settle(
        batch,
        dies(all.get(0)),
        die(all.get(1), 1, AfterDead.HOLD),
        dies(all.get(2)),
        dies(all.get(3)));
    Steering.on(db().operator()).pause(Scope.key(TestMessages.key("l"), SHOP), ANNA);
    DeadLetter first = letters().list(DeadLetterQuery.builder().key("k").build(), null, 1).get(0);
    assertThat(TestMessages.content(letters().find(first.id()).orElseThrow().message()))
        .isEqualTo("1");
    // One at a time, so that the letter that holds the key is not in the same step.
    Operation started = start(Plan.requeue(ALL).withCanary(1));
    Operation waits = steps(started);
    assertThat(deliver(shop, Moves::sent)).isNotEmpty();
    Operation ended = steps(waits);
    assertThat(ended.state()).isEqualTo(State.DONE);
    assertThat(ended.refused()).isEqualTo(2);
  }

  @Test
  void a_letter_whose_message_is_skipped_learns_what_came_of_it() {
    TestLane shop = dead(1);
    DeadLetter letter = letters().list(ALL, null, 1).get(0);
    Operation started = steps(start(Plan.requeue(ALL)));
    Steering.on(db().operator()).skip(SHOP, letter.messageId(), ANNA);
    assertThat(now(started).died()).isEqualTo(1);
    assertThat(letters().find(letter.id()).orElseThrow().letter().outcome())
        .isEqualTo(DeadLetter.Outcome.DEAD);
    assertThat(shop.parked()).isEmpty();
  }
}
