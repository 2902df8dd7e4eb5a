package io.posthorn.core.relay;

import static io.posthorn.core.relay.EngineFixture.BROKEN;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.store.Move;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A receiver that asks for a pause gets it. */
class RetryAfterTest {
  private static final Duration MINUTES = Duration.ofMinutes(5);

  @Test
  void a_failed_message_waits_as_long_as_the_receiver_asks() {
    EngineFixture lane = new EngineFixture();
    lane.batch("a1", "b1");
    lane.dispatch();
    lane.answer("a1", Outcome.failed(BROKEN, MINUTES));
    lane.sent("b1");
    assertThat(pause(lane)).isEqualTo(MINUTES);
  }

  @Test
  void a_backoff_that_is_longer_stands() {
    EngineFixture lane = new EngineFixture();
    lane.batch("a1", "b1");
    lane.dispatch();
    lane.answer("a1", Outcome.failed(BROKEN, Duration.ofMillis(1)));
    lane.sent("b1");
    assertThat(pause(lane)).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void a_breaker_that_opens_waits_as_long_too() {
    EngineFixture lane = new EngineFixture(choices -> choices.breakerAfter(2));
    lane.batch("a1", "b1");
    lane.dispatch();
    lane.answer("a1", Outcome.failed(BROKEN, MINUTES));
    lane.answer("b1", Outcome.failed(BROKEN, MINUTES));
    assertThat(lane.engine.breaker().isOpen()).isTrue();
    lane.pass(MINUTES.minusSeconds(1));
    assertThat(lane.dispatch()).isEmpty();
    lane.pass(Duration.ofSeconds(1));
    assertThat(lane.dispatch()).hasSize(1);
  }

  private static Duration pause(EngineFixture lane) {
    List<Move> moves = lane.settle().moves();
    assertThat(moves).hasSize(1);
    return ((Move.Park) moves.get(0)).delay();
  }
}
