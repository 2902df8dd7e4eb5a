package io.posthorn.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.operate.operation.Operation;
import io.posthorn.core.operate.operation.Operation.State;
import io.posthorn.core.operate.operation.Operations;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.core.operate.operation.SentQuery;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Relays carry out the operations that a person starts, in order. */
public abstract class RescueByRelayContract extends RelayTopic {
  private static final Actor ANNA = new Actor("anna", "the shop is fixed");
  private static final DeadLetterQuery ALL = DeadLetterQuery.waiting();

  private final FakeConnector shop = FakeConnector.acking();

  private Operations operations() {
    return Operations.on(db().operator());
  }

  /** All of these, of five keys, are refused by the shop. */
  private void allDie(int count) {
    shop.outcome(message -> Outcome.rejected(Reason.of("CLOSED", "the shop is closed")));
    start(to(SHOP, shop));
    start(to(SHOP, shop));
    commit(many(count, 5));
    eventually(
        () -> assertThat(DeadLetters.on(db().operator()).count(ALL)).isEqualTo((long) count));
    shop.forget();
  }

  private Operation await(Operation operation, State state) {
    eventually(
        () -> assertThat(operations().find(operation.id()).orElseThrow().state()).isEqualTo(state));
    return operations().find(operation.id()).orElseThrow();
  }

  @Test
  void a_bulk_requeue_is_carried_out_in_order_of_each_key() {
    allDie(500);
    shop.outcome(message -> Outcome.SENT);
    Operation started =
        operations().start(Plan.requeue(ALL).withCanary(10).withRate(2_000.0), ANNA);
    await(started, State.DONE);
    eventually(shop, got -> assertThat(got).hasSize(500));
    for (int key = 0; key < 5; key++) {
      String prefix = "k" + key + ":";
      List<String> ofKey = contents(shop).stream().filter(c -> c.startsWith(prefix)).toList();
      assertThat(ofKey)
          .containsExactlyElementsOf(IntStream.range(0, 100).mapToObj(i -> prefix + i).toList());
    }
    eventually(
        () -> assertThat(operations().find(started.id()).orElseThrow().sent()).isEqualTo(500L));
  }

  @Test
  void a_bulk_requeue_to_a_receiver_that_still_fails_stops_after_its_canary() {
    allDie(100);
    Operation started = operations().start(Plan.requeue(ALL).withCanary(5), ANNA);
    Operation stopped = await(started, State.STOPPED);
    assertThat(stopped.done()).isEqualTo(5);
    assertThat(stopped.note()).contains("5 of 5 died again");
    assertThat(contents(shop)).hasSize(5);
  }

  @Test
  void sent_messages_are_sent_again_alongside_live_traffic() {
    start(to(SHOP, shop));
    commit(many(200, 5));
    eventually(shop, got -> assertThat(got).hasSize(200));
    Operation started =
        operations().start(Plan.resend(SentQuery.to(SHOP).ofKey(TestMessages.key("k1"))), ANNA);
    commit(many(200, 5));
    await(started, State.DONE);
    eventually(shop, got -> assertThat(got).hasSize(440));
  }
}
