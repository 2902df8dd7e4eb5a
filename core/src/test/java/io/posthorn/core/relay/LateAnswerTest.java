package io.posthorn.core.relay;

import static io.posthorn.core.relay.EngineFixture.DOWN;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Answers that were under way while the receiver went down, or came back, blame nobody. */
class LateAnswerTest {
  private static final Duration A_WHILE = Duration.ofMinutes(1);
  private static final Reason LATE = Reason.of(Reason.TIMEOUT, "no answer within 2 s");

  @Test
  void a_success_that_was_under_way_when_another_failed_is_no_sign_that_it_works() {
    EngineFixture lane = new EngineFixture();
    lane.batch("a1", "b1");
    lane.dispatch();
    lane.pass(Duration.ofMillis(1));
    lane.answer("a1", Outcome.unavailable(DOWN));
    lane.sent("b1");
    lane.pass(A_WHILE);
    assertThat(lane.dispatch()).containsExactly("a1");
    lane.answer("a1", Outcome.unavailable(DOWN));
    assertThat(lane.moves()).isEmpty();
  }

  @Test
  void a_success_that_was_started_later_is() {
    EngineFixture lane = new EngineFixture();
    lane.batch("a1");
    lane.dispatch();
    lane.answer("a1", Outcome.unavailable(DOWN));
    lane.batch("b1");
    lane.pass(A_WHILE);
    assertThat(lane.dispatch()).containsExactly("a1");
    lane.answer("a1", Outcome.unavailable(DOWN));
    lane.pass(A_WHILE);
    assertThat(lane.dispatch()).containsExactly("b1");
    lane.sent("b1");
    assertThat(lane.dispatch()).containsExactly("a1");
    lane.answer("a1", Outcome.unavailable(DOWN));
    assertThat(lane.moves()).containsExactly("a1 RETRY 1");
  }

  @Test
  void what_is_out_of_time_after_an_outage_that_began_meanwhile_is_tried_once_more() {
    EngineFixture lane = new EngineFixture();
    lane.batch("a1", "b1", "c1", "d1");
    lane.dispatch();
    lane.pass(Duration.ofSeconds(2));
    lane.answer("a1", Outcome.unavailable(DOWN));
    lane.sent("b1");
    assertThat(lane.engine.breaker().isOpen()).as("the receiver goes on").isFalse();
    lane.answer("c1", Outcome.failed(LATE));
    lane.sent("d1");
    assertThat(lane.moves()).isEmpty();

    lane.pass(Duration.ofSeconds(1));
    assertThat(lane.dispatch()).containsExactly("a1");
    assertThat(lane.dispatch()).containsExactly("c1");
    lane.sent("a1");
    lane.answer("c1", Outcome.failed(LATE));
    assertThat(lane.moves()).containsExactly("c1 RETRY 1");
  }

  @Test
  void an_answer_to_an_attempt_that_was_set_aside_is_not_taken_for_that_to_the_next() {
    EngineFixture lane = new EngineFixture();
    lane.batch("a1", "b1");
    Slot slow = lane.engine.dispatch(lane.now).get(0);
    long began = lane.now;
    lane.engine.answer(lane.engine.flights().peek().slots.get(1), Outcome.SENT, lane.now);
    lane.pass(Duration.ofSeconds(2));
    lane.engine.setAside(lane.now, Duration.ofSeconds(1));
    lane.batch("c1");
    lane.dispatch();
    lane.answer("c1", Outcome.unavailable(DOWN));
    lane.pass(A_WHILE);
    lane.engine.timeouts(lane.now);
    assertThat(lane.dispatch()).as("the probe").containsExactly("c1");
    lane.answer("c1", Outcome.unavailable(DOWN));
    lane.pass(A_WHILE);
    assertThat(lane.dispatch()).as("the next attempt").containsExactly("a1");

    lane.engine.answer(slow, began, Outcome.SENT, lane.now);
    assertThat(lane.engine.inFlight()).isEqualTo(1);
    assertThat(lane.engine.breaker().isOpen()).isTrue();
    lane.sent("a1");
    assertThat(lane.engine.inFlight()).isZero();
  }
}
