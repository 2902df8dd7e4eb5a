package io.posthorn.core.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Move;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** How soon a message is looked at again whose type this relay has no code for. */
class PauseForCodeTest {
  private static Move of(Duration age, UnaryOperator<Destination.Builder> choices) {
    EngineFixture lane = new EngineFixture(choices);
    Delivery unknown = lane.delivery("Unknown", "a1", null);
    lane.engine.takeParked(
        List.of(
            new Delivery(
                unknown.message(),
                unknown.seq(),
                unknown.recordedAt(),
                0,
                Duration.ZERO,
                true,
                null,
                0,
                false,
                age,
                Duration.ZERO,
                null)));
    return lane.settle().moves().get(0);
  }

  private static Duration pause(Duration age, UnaryOperator<Destination.Builder> choices) {
    return ((Move.Park) of(age, choices)).delay();
  }

  private static Duration pause(Duration age) {
    return pause(age, choices -> choices);
  }

  @Test
  void it_is_as_long_as_the_message_is_old_between_five_seconds_and_five_minutes() {
    assertThat(pause(Duration.ZERO)).isEqualTo(Duration.ofSeconds(5));
    assertThat(pause(Duration.ofSeconds(40))).isEqualTo(Duration.ofSeconds(40));
    assertThat(pause(Duration.ofDays(40))).isEqualTo(Duration.ofMinutes(5));
  }

  @Test
  void it_ends_with_the_grace_of_a_consumer() {
    Duration grace = Duration.ofMinutes(10);
    assertThat(pause(Duration.ofMinutes(9), choices -> choices.unservedGrace(grace)))
        .isEqualTo(Duration.ofMinutes(1));
    assertThat(pause(Duration.ZERO, choices -> choices.unservedGrace(Duration.ofSeconds(2))))
        .isEqualTo(Duration.ofSeconds(2));
    assertThat(of(grace, choices -> choices.unservedGrace(grace))).isInstanceOf(Move.Die.class);
  }
}
