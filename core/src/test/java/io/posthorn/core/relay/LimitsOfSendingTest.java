package io.posthorn.core.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Outcome;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LimitsOfSendingTest {
  @Test
  void no_more_are_in_flight_than_allowed() {
    EngineFixture lane =
        new EngineFixture(choices -> choices.limit(SendLimit.DEFAULT.maxInFlight(2)));
    lane.batch("a1", "b1", "c1");
    assertThat(lane.dispatch()).containsExactly("a1", "b1");
    assertThat(lane.dispatch()).isEmpty();
    lane.sent("a1");
    assertThat(lane.dispatch()).containsExactly("c1");
  }

  @Test
  void no_more_are_sent_a_second_than_allowed() {
    EngineFixture lane =
        new EngineFixture(choices -> choices.limit(SendLimit.DEFAULT.perSecond(10)));
    lane.batch("-1", "-2", "-3");
    assertThat(lane.dispatch()).hasSize(1);
    assertThat(lane.dispatch()).isEmpty();
    assertThat(lane.engine.dispatchAt(lane.now)).isBetween(lane.now + 1, lane.now + 100_000_001);
    lane.pass(Duration.ofMillis(101));
    assertThat(lane.dispatch()).hasSize(1);
  }

  @Test
  void retries_and_the_log_take_turns_where_only_some_may_go() {
    EngineFixture lane =
        new EngineFixture(choices -> choices.limit(SendLimit.DEFAULT.maxInFlight(1)));
    lane.batch("-1", "-2", "-3", "-4");
    assertThat(lane.dispatch()).containsExactly("-1");
    lane.engine.takeParked(
        List.of(
            lane.parked("a5", 1, Duration.ZERO),
            lane.parked("b6", 1, Duration.ZERO),
            lane.parked("c7", 1, Duration.ZERO)));
    for (String next : List.of("a5", "-2", "b6", "-3", "c7", "-4")) {
      lane.sent(lane.started.get(lane.started.size() - 1));
      assertThat(lane.dispatch()).containsExactly(next);
    }
  }

  @Test
  void a_limit_of_one_type_delays_no_other_type() {
    EngineFixture lane =
        new EngineFixture(choices -> choices.limit("Slow", SendLimit.DEFAULT.maxInFlight(1)));
    lane.take(
        Set.of(),
        List.of(
            lane.delivery("Slow", "-1", null),
            lane.delivery("Slow", "-2", null),
            lane.delivery("T", "-3", null)));
    assertThat(lane.dispatch()).containsExactly("-1", "-3");
    lane.sent("-1");
    assertThat(lane.dispatch()).containsExactly("-2");
  }

  @Test
  void a_rate_of_one_type_delays_no_other_type() {
    EngineFixture lane =
        new EngineFixture(choices -> choices.limit("Slow", SendLimit.DEFAULT.perSecond(10)));
    lane.take(
        Set.of(),
        List.of(
            lane.delivery("Slow", "-1", null),
            lane.delivery("Slow", "-2", null),
            lane.delivery("T", "-3", null),
            lane.delivery("T", "-4", null)));
    assertThat(lane.dispatch()).containsExactly("-1", "-3", "-4");
    assertThat(lane.dispatch()).isEmpty();
    lane.pass(Duration.ofMillis(101));
    assertThat(lane.dispatch()).containsExactly("-2");
  }

  @Test
  void the_pause_doubles_up_to_the_longest_backoff_with_a_random_part() {
    RetryPolicy policy = RetryPolicy.DEFAULT;
    java.util.Random random = new java.util.Random(7);
    assertThat(policy.pauseAfter(1, random)).isBetween(millis(1_000), millis(1_200));
    assertThat(policy.pauseAfter(3, random)).isBetween(millis(4_000), millis(4_800));
    assertThat(policy.pauseAfter(9, random)).isBetween(millis(60_000), millis(72_000));
    assertThat(policy.pauseAfter(1_000, random)).isBetween(millis(60_000), millis(72_000));
    Set<Duration> pauses = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      pauses.add(policy.pauseAfter(1, random));
    }
    assertThat(pauses).hasSizeGreaterThan(50).anyMatch(pause -> pause.compareTo(millis(1_150)) > 0);
  }

  @Test
  void each_type_may_have_a_policy_of_its_own() {
    EngineFixture lane =
        new EngineFixture(
            choices ->
                choices
                    .retry(RetryPolicy.DEFAULT.attempts(2))
                    .retry("Hasty", RetryPolicy.DEFAULT.attempts(1)));
    lane.take(
        Set.of(),
        List.of(
            lane.delivery("T", "a1", null),
            lane.delivery("Hasty", "b1", null),
            lane.delivery("T", "c1", null)));
    lane.dispatch();
    lane.sent("c1");
    lane.answer("a1", Outcome.failedByMessage(EngineFixture.BROKEN));
    lane.answer("b1", Outcome.failedByMessage(EngineFixture.BROKEN));
    assertThat(lane.moves()).containsExactlyInAnyOrder("a1 RETRY 1", "b1 DEAD RETRY_EXHAUSTED 1");
  }

  /** Messages a1 and b1 are in flight, and c1 waits until one of them is settled. */
  private static EngineFixture full() {
    EngineFixture lane = new EngineFixture(2, choices -> choices);
    lane.batch("a1", "b1");
    lane.engine.takeParked(List.of(lane.parked("c1", 1, Duration.ZERO)));
    assertThat(lane.dispatch()).containsExactly("a1", "b1");
    return lane;
  }

  @Test
  void what_was_handed_over_and_is_not_settled_is_never_more_than_a_batch() {
    EngineFixture lane = full();
    lane.sent("a1");
    assertThat(lane.dispatch()).isEmpty();
    lane.settle();
    assertThat(lane.dispatch()).containsExactly("c1");
  }

  @Test
  void a_retry_need_not_wait_for_messages_that_wait_for_a_settle() {
    EngineFixture lane = full();
    lane.answer("a1", Outcome.unavailable(EngineFixture.DOWN));
    lane.answer("b1", Outcome.unavailable(EngineFixture.DOWN));
    lane.pass(Duration.ofMinutes(1));
    assertThat(lane.dispatch()).as("the probe").containsExactly("a1");
    lane.sent("a1");
    assertThat(lane.dispatch()).containsExactly("b1");
    lane.sent("b1");
    lane.settle();
    assertThat(lane.dispatch()).containsExactly("c1");
  }

  @Test
  void a_message_that_waited_for_a_settle_is_tried_next_while_the_breaker_is_open() {
    EngineFixture lane = full();
    lane.answer("a1", Outcome.unavailable(EngineFixture.DOWN));
    lane.answer("b1", Outcome.unavailable(EngineFixture.DOWN));
    for (String probe : List.of("a1", "b1")) {
      lane.pass(Duration.ofMinutes(5));
      assertThat(lane.dispatch()).containsExactly(probe);
      lane.answer(probe, Outcome.failed(EngineFixture.BROKEN));
    }
    lane.settle();
    assertThat(lane.dispatch()).as("too early for the next").isEmpty();
    assertThat(lane.engine.dispatchAt(lane.now)).isEqualTo(lane.engine.breaker().probeAt());
    lane.pass(Duration.ofMinutes(5));
    assertThat(lane.dispatch()).containsExactly("c1");
  }

  @Test
  void no_message_is_blamed_while_a_settle_may_let_others_go() {
    EngineFixture lane = full();
    lane.sent("a1");
    lane.answer("b1", Outcome.failed(EngineFixture.BROKEN));
    assertThat(lane.dispatch()).isEmpty();
    assertThat(lane.moves()).isEmpty();
    lane.settle();
    assertThat(lane.dispatch()).containsExactly("c1");
    lane.sent("c1");
    assertThat(lane.moves()).contains("b1 RETRY 1");
  }

  @Test
  void a_message_that_failed_before_goes_in_a_round_of_its_own() {
    EngineFixture lane = new EngineFixture();
    lane.batch("a1", "b1");
    lane.engine.takeParked(
        List.of(
            lane.parked("c1", 1, Duration.ZERO),
            lane.parked("d1", 1, Duration.ZERO),
            lane.parked("e1", 0, Duration.ZERO),
            lane.parked("f1", 0, Duration.ZERO)));
    assertThat(lane.dispatch()).containsExactly("a1", "b1");
    assertThat(lane.dispatch()).containsExactly("c1");
    assertThat(lane.dispatch()).containsExactly("d1");
    assertThat(lane.dispatch()).containsExactly("e1", "f1");
  }

  @Test
  void suspects_make_room_if_all_others_wait_for_a_settle() {
    EngineFixture lane = full();
    lane.answer("a1", Outcome.failed(EngineFixture.BROKEN));
    lane.answer("b1", Outcome.failed(EngineFixture.BROKEN));
    assertThat(lane.moves()).containsExactlyInAnyOrder("a1 RETRY 0", "b1 RETRY 0");
    lane.settle();
    assertThat(lane.dispatch()).containsExactly("c1");
  }

  private static Duration millis(long millis) {
    return Duration.ofMillis(millis);
  }
}
