package io.posthorn.testkit;

import static io.posthorn.testkit.Moves.die;
import static io.posthorn.testkit.Moves.sent;
import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.audit.Audit;
import io.posthorn.core.operate.audit.AuditEntry;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.operation.Operation;
import io.posthorn.core.operate.operation.Operation.State;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.core.operate.operation.Preview;
import io.posthorn.core.operate.steering.Scope;
import io.posthorn.core.operate.steering.Steering;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Delivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Bulk actions on dead letters: previewed, stopped, resumed; none is done twice. */
public abstract class OperationContract extends OperationTesting {
  @Test
  void a_preview_counts_and_changes_nothing() {
    dead(3);
    assertThat(operations().preview(Plan.requeue(ALL)).count()).isEqualTo(3);
    assertThat(waiting()).isEqualTo(3);
    assertThat(operations().list(10)).isEmpty();
  }

  @Test
  void a_preview_counts_letters_whose_younger_messages_were_already_sent() {
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
  void all_matching_letters_are_requeued_and_their_outcomes_are_counted() {
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
  void outcomes_after_the_end_of_an_operation_are_added_up_at_the_next_purge() {
    TestLane shop = dead(3);
    Operation ended = steps(start(Plan.requeue(ALL)));
    assertThat(ended.state()).isEqualTo(State.DONE);
    for (Delivery due : shop.parked()) {
      shop.settle(sent(due));
    }
    assertThat(db().outcomes()).isEqualTo(3);
    store().purge(Duration.ofDays(7));
    assertThat(db().outcomes()).isZero();
    assertThat(now(ended).sent()).isEqualTo(3);
    assertThat(now(ended).underWay()).isZero();
  }

  @Test
  void only_matching_letters_are_changed() {
    allDie(keyed("k", "1"), keyed("l", "2"));
    Operation ended = steps(start(Plan.discard(DeadLetterQuery.builder().key("k").build())));
    assertThat(ended.done()).isEqualTo(1);
    assertThat(letters().list(ALL, null, 10))
        .extracting(DeadLetter::key)
        .containsExactly(TestMessages.key("l"));
  }

  @Test
  void letters_created_after_the_start_are_not_part_of_the_operation() {
    TestLane shop = dead(2);
    Operation started = start(Plan.requeue(ALL).withCanary(1));
    steps(started);
    deliver(shop, OperationTesting::dies);
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
  void a_stopped_operation_does_nothing_until_it_is_resumed() {
    dead(3);
    Operation started = start(Plan.requeue(ALL));
    Operation stopped = operations().stop(started.id(), new Actor("ben", "wrong letters"));
    assertThat(stopped.state()).isEqualTo(State.STOPPED);
    assertThat(stopped.note()).contains("ben").contains("wrong letters");
    assertThat(store().runOperations()).isEmpty();
    assertThat(waiting()).isEqualTo(3);
    assertThatThrownBy(() -> operations().stop(started.id(), ANNA))
        .hasMessageStartingWith(ErrorCode.CONFLICT.text())
        .hasMessageContaining("it is STOPPED");
    operations().resume(started.id(), ANNA);
    assertThat(steps(started).done()).isEqualTo(3);
    assertThatThrownBy(() -> operations().resume(UUID.randomUUID(), ANNA))
        .hasMessageStartingWith(ErrorCode.NOT_FOUND.text())
        .hasMessageContaining("there is no operation");
  }

  @Test
  void letters_that_a_person_rescued_meanwhile_are_left_alone() {
    dead(3);
    Operation started = start(Plan.requeue(ALL));
    letters().discard(List.of(letters().list(ALL, null, 1).get(0).id()), ANNA);
    assertThat(steps(started).done()).isEqualTo(2);
  }

  @Test
  void letters_can_be_sent_once_and_discarded_in_bulk() {
    TestLane shop = dead(3);
    Operation once = steps(start(Plan.sendOnce(ALL)));
    assertThat(shop.parked()).hasSize(3).allMatch(Delivery::once);
    deliver(shop, OperationTesting::dies);
    assertThat(now(once).died()).isEqualTo(3);
    Operation discarded = steps(start(Plan.discard(ALL)));
    assertThat(discarded.done()).isEqualTo(3);
    assertThat(discarded.underWay()).isZero();
    assertThat(waiting()).isZero();
  }

  @Test
  void two_relays_that_run_one_operation_do_nothing_twice() throws Throwable {
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
  void the_start_stop_resume_and_end_of_an_operation_are_audited() {
    dead(2);
    Operation started = start(Plan.requeue(ALL));
    operations().stop(started.id(), new Actor("ben", "lunch"));
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
  void an_invalid_plan_is_refused() {
    assertThatThrownBy(() -> Plan.discard(ALL).withCanary(1)).hasMessageContaining("canary");
    assertThatThrownBy(() -> Plan.requeue(ALL).withRate(0.0))
        .hasMessageContaining("not a valid rate");
    assertThatThrownBy(() -> Plan.requeue(ALL).stoppingAt(2))
        .hasMessageContaining("not a valid share");
  }

  @Test
  void letters_of_a_held_or_paused_key_are_left_alone_and_delay_nothing() {
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
  void a_letter_whose_message_is_skipped_has_the_outcome_dead() {
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
