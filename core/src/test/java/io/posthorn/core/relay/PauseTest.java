package io.posthorn.core.relay;

import static io.posthorn.core.relay.EngineFixture.BROKEN;
import static io.posthorn.core.relay.EngineFixture.DOWN;
import static io.posthorn.core.relay.EngineFixture.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.message.Key;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.SteeringState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Paused messages are not tried and keep their place; all others go on. */
class PauseTest {
  private final EngineFixture lane = new EngineFixture();

  private static EngineFixture oneAtATime() {
    return new EngineFixture(choices -> choices.limit(SendLimit.DEFAULT.maxInFlight(1)));
  }

  /** Messages of type T; a name with {@code !} makes it type P. */
  private static void batch(EngineFixture lane, String... names) {
    List<Delivery> deliveries = new ArrayList<>();
    for (String name : names) {
      boolean p = name.endsWith("!");
      deliveries.add(lane.delivery(p ? "P" : "T", name.replace("!", ""), null));
    }
    lane.take(Set.of(), deliveries);
  }

  private static void pauseType(EngineFixture lane, String... types) {
    lane.engine.steer(new SteeringState(UUID.randomUUID(), false, Set.of(types), Set.of(), null));
  }

  private static void pauseKey(EngineFixture lane, Key... keys) {
    lane.engine.steer(new SteeringState(UUID.randomUUID(), false, Set.of(), Set.of(keys), null));
  }

  @Test
  void a_paused_type_is_parked_without_an_attempt_its_key_behind_it_and_others_go_on() {
    pauseType(lane, "P");
    batch(lane, "a1!", "a2", "b1", "-1!", "-2");
    assertThat(lane.dispatch()).containsExactly("b1", "-2");
    assertThat(lane.moves()).containsExactly("a1 PAUSED 0", "a2 TURN 0", "-1 PAUSED 0");
  }

  @Test
  void one_behind_a_message_on_its_way_is_parked_when_its_turn_comes() {
    batch(lane, "a1", "a2!", "a3");
    lane.dispatch();
    pauseType(lane, "P");
    assertThat(lane.moves()).isEmpty();
    lane.sent("a1");
    assertThat(lane.dispatch()).isEmpty();
    assertThat(lane.moves()).containsExactly("a2 PAUSED 0", "a3 TURN 0");
  }

  @Test
  void what_is_in_memory_and_not_yet_with_the_connector_is_not_sent_any_more() {
    EngineFixture slow = oneAtATime();
    batch(slow, "a1!", "b1!", "b2", "c1");
    assertThat(slow.dispatch()).containsExactly("a1");
    pauseType(slow, "P");
    slow.sent("a1");
    assertThat(slow.dispatch()).containsExactly("c1");
    assertThat(slow.moves()).containsExactly("b1 PAUSED 0", "b2 TURN 0");
  }

  @Test
  void what_a_limit_of_its_type_keeps_is_not_sent_any_more_either() {
    EngineFixture slow =
        new EngineFixture(choices -> choices.limit("P", SendLimit.DEFAULT.maxInFlight(1)));
    batch(slow, "a1!", "b1!");
    assertThat(slow.dispatch()).containsExactly("a1");
    pauseType(slow, "P");
    slow.sent("a1");
    assertThat(slow.dispatch()).isEmpty();
    assertThat(slow.moves()).containsExactly("b1 PAUSED 0");
  }

  @Test
  void after_a_resume_what_comes_is_sent() {
    pauseType(lane, "P");
    batch(lane, "a1!");
    lane.settle();
    pauseType(lane);
    batch(lane, "b1!");
    assertThat(lane.dispatch()).containsExactly("b1");
  }

  @Test
  void a_parked_message_of_a_paused_type_keeps_its_attempts_and_its_followers_stay() {
    pauseType(lane, "T");
    lane.engine.takeParked(
        List.of(lane.parked("a1", 3, Duration.ofHours(1)), lane.parked("a2", 0, Duration.ZERO)));
    assertThat(lane.dispatch()).isEmpty();
    assertThat(lane.moves()).containsExactly("a1 PAUSED 3");
  }

  @Test
  void a_paused_key_queues_up_and_other_keys_go_on() {
    EngineFixture slow = oneAtATime();
    batch(slow, "c1", "a1", "a2", "b1");
    assertThat(slow.dispatch()).containsExactly("c1");
    pauseKey(slow, key("a"));
    slow.sent("c1");
    assertThat(slow.dispatch()).containsExactly("b1");
    assertThat(slow.moves()).containsExactly("a1 TURN 0", "a2 TURN 0");
  }

  @Test
  void parked_messages_of_a_paused_key_stay_as_they_are() {
    EngineFixture slow = oneAtATime();
    batch(slow, "c1");
    slow.dispatch();
    slow.engine.takeParked(
        List.of(slow.parked("a1", 2, Duration.ZERO), slow.parked("a2", 0, Duration.ZERO)));
    pauseKey(slow, key("a"));
    slow.sent("c1");
    assertThat(slow.dispatch()).isEmpty();
    assertThat(slow.moves()).isEmpty();
    slow.settle();
    assertThat(slow.engine.parkedBatches()).as("nothing is held in memory").isEmpty();
  }

  @Test
  void a_paused_message_is_no_probe_of_a_destination_that_does_not_answer() {
    batch(lane, "a1!", "b1", "c1!");
    lane.dispatch();
    lane.answer("b1", Outcome.unavailable(DOWN));
    lane.answer("a1", Outcome.unavailable(DOWN));
    pauseType(lane, "P");
    lane.answer("c1", Outcome.unavailable(DOWN));
    assertThat(lane.moves()).containsExactly("a1 PAUSED 0", "c1 PAUSED 0");
    for (int i = 0; i < 3; i++) {
      lane.pass(Duration.ofMinutes(1));
      List<String> probe = lane.dispatch();
      assertThat(probe).isSubsetOf("b1");
      probe.forEach(name -> lane.answer(name, Outcome.unavailable(DOWN)));
    }
  }

  @Test
  void a_suspect_that_waited_for_paused_ones_does_not_wait_for_ever() {
    EngineFixture slow = oneAtATime();
    batch(slow, "a1", "b1!");
    assertThat(slow.dispatch()).containsExactly("a1");
    slow.answer("a1", Outcome.failed(BROKEN));
    assertThat(slow.moves()).as("b1 may show whether a1 is at fault").isEmpty();
    pauseType(slow, "P");
    assertThat(slow.moves()).containsExactly("a1 RETRY 0", "b1 PAUSED 0");
  }

  @Test
  void a_suspect_of_a_type_that_is_paused_leaves_the_line_when_the_breaker_opens() {
    EngineFixture two = new EngineFixture(choices -> choices.breakerAfter(2));
    batch(two, "a1!", "b1!", "c1");
    two.dispatch();
    two.answer("a1", Outcome.failed(BROKEN));
    pauseType(two, "P");
    two.answer("b1", Outcome.failed(BROKEN));
    assertThat(two.engine.breaker().isOpen()).isTrue();
    assertThat(two.moves()).containsExactly("a1 PAUSED 0", "b1 PAUSED 0");
  }
}
