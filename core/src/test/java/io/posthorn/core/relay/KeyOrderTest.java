package io.posthorn.core.relay;

import static io.posthorn.core.relay.EngineFixture.BROKEN;
import static io.posthorn.core.relay.EngineFixture.NOW;
import static io.posthorn.core.relay.EngineFixture.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.store.AfterDead;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KeyOrderTest {
  private final EngineFixture lane = new EngineFixture();

  @Test
  void a_message_goes_only_after_its_predecessor_of_the_key_was_sent() {
    lane.batch("a1", "a2", "b1");
    assertThat(lane.dispatch()).containsExactly("a1", "b1");
    lane.sent("b1");
    assertThat(lane.dispatch()).isEmpty();
    lane.sent("a1");
    assertThat(lane.dispatch()).containsExactly("a2");
  }

  @Test
  void order_holds_across_batches() {
    lane.batch("a1");
    lane.batch("a2");
    assertThat(lane.dispatch()).containsExactly("a1");
    lane.sent("a1");
    assertThat(lane.dispatch()).containsExactly("a2");
  }

  @Test
  void messages_without_a_key_wait_for_nobody() {
    lane.batch("-1", "-2", "-3");
    assertThat(lane.dispatch()).containsExactly("-1", "-2", "-3");
  }

  @Test
  void when_one_fails_its_key_queues_up_behind_it_and_others_go_on() {
    lane.batch("a1", "a2", "b1", "b2");
    lane.dispatch();
    lane.answer("a1", Outcome.failed(BROKEN));
    lane.sent("b1");
    assertThat(lane.dispatch()).containsExactly("b2");
    assertThat(lane.moves()).containsExactly("a1 RETRY 1", "a2 TURN 0");
  }

  @Test
  void a_later_batch_of_a_parked_key_queues_up_until_the_database_knows() {
    lane.batch("a1", "b1");
    lane.dispatch();
    lane.answer("a1", Outcome.failed(BROKEN));
    lane.sent("b1");
    lane.batch("a2");
    assertThat(lane.dispatch()).isEmpty();
    assertThat(lane.moves()).containsExactly("a1 RETRY 1", "a2 TURN 0");
    lane.settle();
    lane.batch("a3");
    assertThat(lane.dispatch())
        .as("from now on a claim says that the key is blocked")
        .contains("a3");
  }

  @Test
  void a_key_stays_blocked_while_one_of_its_messages_is_parked_only_in_memory() {
    lane.batch("a1", "b1");
    lane.dispatch();
    lane.answer("a1", Outcome.failed(BROKEN));
    lane.sent("b1");
    Settling first = new Settling(lane.engine);
    lane.batch("a2");
    first.written("d", event -> {});
    lane.batch("a3");
    assertThat(lane.dispatch()).as("a2 is not stored yet and must not be overtaken").isEmpty();
    assertThat(lane.moves()).containsExactly("a2 TURN 0", "a3 TURN 0");
  }

  @Test
  void a_key_the_claim_found_blocked_queues_up() {
    lane.batch(Set.of(key("a")), "a1", "b1", "a2");
    assertThat(lane.dispatch()).containsExactly("b1");
    assertThat(lane.moves()).containsExactly("a1 TURN 0", "a2 TURN 0");
  }

  @Test
  void a_parked_key_drains_in_order_and_stops_where_one_fails() {
    lane.engine.takeParked(
        List.of(
            lane.parked("a1", 2, Duration.ofSeconds(3)),
            lane.parked("a2", 0, Duration.ZERO),
            lane.parked("a3", 0, Duration.ZERO)));
    assertThat(lane.dispatch()).containsExactly("a1");
    lane.sent("a1");
    assertThat(lane.dispatch()).containsExactly("a2");
    lane.answer("a2", Outcome.failed(BROKEN));
    assertThat(lane.moves()).as("a3 stays as it is").containsExactly("a1 SENT", "a2 RETRY 0");
    lane.settle();
    assertThat(lane.engine.parkedBatches()).isEmpty();
  }

  @Test
  void after_a_dead_message_the_rest_of_its_key_goes_on() {
    lane.batch("a1", "a2");
    lane.dispatch();
    lane.answer("a1", Outcome.rejected(BROKEN));
    assertThat(lane.dispatch()).containsExactly("a2");
    assertThat(lane.moves()).containsExactly("a1 DEAD HTTP_500 1");
  }

  @Test
  void after_a_dead_message_the_rest_of_its_key_is_held_if_so_chosen() {
    EngineFixture holding = new EngineFixture(choices -> choices.afterDead("T", AfterDead.HOLD));
    holding.batch("a1", "a2", "b1");
    holding.dispatch();
    holding.answer("a1", Outcome.rejected(BROKEN));
    holding.batch("a3");
    assertThat(holding.dispatch()).isEmpty();
    assertThat(holding.moves()).containsExactly("a1 DEAD HTTP_500 1", "a2 TURN 0", "a3 TURN 0");
  }

  @Test
  void a_scheduled_message_waits_and_does_not_block_its_key() {
    lane.take(
        Set.of(),
        List.of(lane.delivery("T", "a1", NOW.plusSeconds(60)), lane.delivery("T", "a2", null)));
    assertThat(lane.dispatch()).containsExactly("a2");
    assertThat(lane.moves()).containsExactly("a1 TIME 0");
  }

  @Test
  void a_message_whose_code_is_missing_is_parked_without_an_attempt_and_its_key_waits() {
    lane.take(
        Set.of(), List.of(lane.delivery("Unknown", "a1", null), lane.delivery("T", "a2", null)));
    assertThat(lane.dispatch()).isEmpty();
    assertThat(lane.moves()).containsExactly("a1 CODE 0", "a2 TURN 0");
  }

  @Test
  void a_key_whose_later_message_lacks_code_is_parked_from_there_on() {
    lane.take(
        Set.of(),
        List.of(
            lane.delivery("T", "a1", null),
            lane.delivery("Unknown", "a2", null),
            lane.delivery("T", "a3", null)));
    assertThat(lane.dispatch()).containsExactly("a1");
    lane.sent("a1");
    assertThat(lane.dispatch()).isEmpty();
    assertThat(lane.moves()).containsExactly("a2 CODE 0", "a3 TURN 0");
  }
}
