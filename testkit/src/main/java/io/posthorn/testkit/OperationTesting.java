package io.posthorn.testkit;

import static io.posthorn.testkit.Moves.die;
import static io.posthorn.testkit.TestLane.contents;
import static io.posthorn.testkit.TestMessages.message;

import io.posthorn.core.message.Message;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.operate.operation.Operation;
import io.posthorn.core.operate.operation.Operations;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Move;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/** What tests of operations have in common: letters, steps and outcomes. */
abstract class OperationTesting extends Contract {
  static final Actor ANNA = new Actor("anna", "the receiver is fixed");
  static final DeadLetterQuery ALL = DeadLetterQuery.waiting();

  Operations operations() {
    return Operations.on(db().operator());
  }

  DeadLetters letters() {
    return DeadLetters.on(db().operator());
  }

  long waiting() {
    return letters().count(ALL);
  }

  Operation start(Plan plan) {
    return operations().start(plan, ANNA);
  }

  Operation now(Operation operation) {
    return operations().find(operation.id()).orElseThrow();
  }

  /** Steps, as a relay takes them, until there is nothing to do at once. */
  Operation steps(Operation operation) {
    while (store().runOperations().filter(Duration::isZero).isPresent()) {
      // The next one.
    }
    return now(operation);
  }

  /** Lets {@code count} messages without a key die for the shop. */
  TestLane dead(int count) {
    return allDie(
        IntStream.rangeClosed(1, count).mapToObj(i -> message("" + i)).toArray(Message[]::new));
  }

  TestLane allDie(Message... messages) {
    TestLane shop = serve(SHOP);
    commit(messages);
    Batch batch = shop.batch();
    shop.settle(
        batch, batch.deliveries().stream().map(OperationTesting::dies).toArray(Move[]::new));
    return shop;
  }

  static Move dies(Delivery delivery) {
    return die(delivery, delivery.attempts() + 1, AfterDead.CONTINUE);
  }

  /** Tries all messages that are due; returns their contents. */
  static List<String> deliver(TestLane shop, Function<Delivery, Move> move) {
    List<Delivery> due = shop.parked();
    shop.settle(due.stream().map(move).toArray(Move[]::new));
    return contents(due);
  }
}
