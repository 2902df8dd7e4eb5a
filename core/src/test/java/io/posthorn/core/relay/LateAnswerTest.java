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
    assertThat(lane.dispatch()).containsExactly("a1", "c1");
    lane.sent("a1");
    lane.answer("c1", Outcome.failed(LATE));
    assertThat(lane.moves()).containsExactly("c1 RETRY 1");
  }
}
