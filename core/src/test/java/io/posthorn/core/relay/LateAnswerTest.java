package io.posthorn.core.relay;

import static io.posthorn.core.relay.EngineFixture.DOWN;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Answers in flight while the receiver stops or recovers blame neither message nor receiver. */
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
    assertThat(lane.dispatch()).containsExactly("b1");
    lane.sent("b1");
    assertThat(lane.dispatch()).containsExactly("a1");
    lane.answer("a1", Outcome.unavailable(DOWN));
    assertThat(lane.moves()).containsExactly("a1 RETRY 1");
  }

  @Test
  void what_is_out_of_time_after_an_outage_that_began_meanwhile_is_tried_once_more() {
    EngineFixture lane = new EngineFixture();
    lane.batch("a1", "b1", "c1");
    lane.dispatch();
    lane.pass(Duration.ofSeconds(2));
    lane.answer("a1", Outcome.unavailable(DOWN));
    lane.sent("b1");
    assertThat(lane.dispatch()).containsExactly("a1");
    lane.sent("a1");
    assertThat(lane.engine.breaker().isOpen()).as("the receiver works again").isFalse();
    lane.batch("d1");
    lane.answer("c1", Outcome.failed(LATE));
    lane.dispatch();
    lane.sent("d1");
    assertThat(lane.moves()).containsExactly("c1 RETRY 0");
  }

  @Test
  void what_is_out_of_time_is_blamed_if_that_happens_again() {
    EngineFixture lane = new EngineFixture();
    lane.batch("a1");
    lane.dispatch();
    lane.failAlone("a1", Outcome.failed(LATE));
    assertThat(lane.moves()).containsExactly("a1 RETRY 0");
    lane.settle();
    lane.pass(Duration.ofSeconds(2));
    lane.engine.takeParked(List.of(lane.suspect("a1", Duration.ofSeconds(1))));
    lane.dispatch();
    lane.failAlone("a1", Outcome.failed(LATE));
    assertThat(lane.moves()).as("no other was sent in between").containsExactly("a1 RETRY 0");
    lane.settle();
    lane.pass(Duration.ofSeconds(2));
    lane.engine.takeParked(List.of(lane.suspect("a1", Duration.ofSeconds(3))));
    lane.dispatch();
    lane.failAlone("a1", Outcome.failed(LATE));
    assertThat(lane.moves()).containsExactly("a1 RETRY 1");
  }

  @Test
  void what_is_out_of_time_alone_is_blamed_if_others_were_sent_in_between() {
    EngineFixture lane = new EngineFixture();
    lane.batch("b1");
    lane.pass(Duration.ofSeconds(10));
    lane.dispatch();
    lane.sent("b1");
    lane.pass(Duration.ofSeconds(10));
    lane.engine.takeParked(List.of(lane.suspect("a1", Duration.ofSeconds(20))));
    lane.dispatch();
    lane.answer("a1", Outcome.failed(LATE));
    assertThat(lane.moves()).containsExactly("a1 RETRY 1");
  }

  @Test
  void an_answer_to_an_abandoned_attempt_is_not_taken_for_the_answer_to_the_next() {
    EngineFixture lane = new EngineFixture();
    lane.batch("a1", "b1");
    TrackedDelivery slow = lane.engine.dispatch(lane.now).get(0);
    long began = lane.now;
    lane.engine.answer(lane.engine.logBatches().peek().deliveries.get(1), Outcome.SENT, lane.now);
    lane.pass(Duration.ofSeconds(2));
    lane.engine.setAside(lane.now, Duration.ofSeconds(1));
    lane.batch("c1");
    lane.dispatch();
    lane.answer("c1", Outcome.unavailable(DOWN));
    lane.pass(A_WHILE);
    lane.engine.timeouts(lane.now);
    assertThat(lane.dispatch()).as("the next attempt, as the probe").containsExactly("a1");

    lane.engine.answer(slow, began, Outcome.SENT, lane.now);
    assertThat(lane.engine.inFlight()).isEqualTo(1);
    assertThat(lane.engine.breaker().isOpen()).isTrue();
    lane.sent("a1");
    assertThat(lane.engine.inFlight()).isZero();
  }
}
