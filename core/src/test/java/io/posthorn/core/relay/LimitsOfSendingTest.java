package io.posthorn.core.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
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
  void a_limit_of_one_type_holds_up_no_other_type() {
    EngineFixture lane =
        new EngineFixture(choices -> choices.limit("Slow", SendLimit.DEFAULT.maxInFlight(1)));
    lane.take(
        Set.of(),
        java.util.List.of(
            lane.delivery("Slow", "-1", null),
            lane.delivery("Slow", "-2", null),
            lane.delivery("T", "-3", null)));
    assertThat(lane.dispatch()).containsExactly("-1", "-3");
    lane.sent("-1");
    assertThat(lane.dispatch()).containsExactly("-2");
  }

  @Test
  void a_rate_of_one_type_holds_up_no_other_type() {
    EngineFixture lane =
        new EngineFixture(choices -> choices.limit("Slow", SendLimit.DEFAULT.perSecond(10)));
    lane.take(
        Set.of(),
        java.util.List.of(
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
  void the_pause_doubles_up_to_the_ceiling_with_a_random_part() {
    RetryPolicy policy = RetryPolicy.DEFAULT;
    java.util.Random random = new java.util.Random(7);
    assertThat(policy.pauseAfter(1, random)).isBetween(millis(1_000), millis(1_200));
    assertThat(policy.pauseAfter(3, random)).isBetween(millis(4_000), millis(4_800));
    assertThat(policy.pauseAfter(9, random)).isBetween(millis(60_000), millis(72_000));
    assertThat(policy.pauseAfter(1_000, random)).isBetween(millis(60_000), millis(72_000));
  }

  private static Duration millis(long millis) {
    return Duration.ofMillis(millis);
  }
}
