package io.posthorn.core.relay;

import static io.posthorn.core.relay.EngineFixture.BROKEN;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.observe.Event;
import io.posthorn.core.store.Move;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Only an explicit positive answer to a message counts as its success. */
class AnswersTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private final EngineFixture lane = new EngineFixture(choices -> choices.sendTimeout(TIMEOUT));

  @Test
  void a_missing_answer_is_a_failure() {
    lane.batch("a1", "b1");
    lane.dispatch();
    lane.sent("b1");
    lane.pass(TIMEOUT);
    lane.engine.timeouts(lane.now);
    assertThat(lane.moves()).containsExactly("a1 RETRY 0");
    assertThat(lane.events).hasAtLeastOneElementOfType(Event.CallFailed.class);
  }

  @Test
  void a_handler_that_is_out_of_time_may_wait_for_something_that_is_away() {
    EngineFixture consumer =
        new EngineFixture(choices -> choices.sendTimeout(TIMEOUT).receives().breakerAfter(3));
    consumer.batch("a1", "b1");
    consumer.dispatch();
    consumer.pass(TIMEOUT);
    consumer.engine.timeouts(consumer.now);
    assertThat(consumer.moves()).containsExactly("a1 RETRY 0", "b1 RETRY 0");
  }

  @Test
  void a_late_answer_changes_nothing() {
    lane.batch("a1");
    TrackedDelivery tracked = lane.engine.dispatch(lane.now).get(0);
    lane.pass(TIMEOUT);
    lane.engine.timeouts(lane.now);
    lane.answerAgain(tracked, Outcome.SENT);
    assertThat(lane.moves()).containsExactly("a1 RETRY 0");
    assertThat(tracked.sent).isFalse();
  }

  @Test
  void a_second_answer_changes_nothing() {
    lane.batch("a1");
    TrackedDelivery tracked = lane.engine.dispatch(lane.now).get(0);
    lane.answerAgain(tracked, Outcome.SENT);
    lane.answerAgain(tracked, Outcome.failed(BROKEN));
    lane.answerAgain(tracked, Outcome.SENT);
    assertThat(tracked.sent).isTrue();
    assertThat(lane.moves()).isEmpty();
    assertThat(lane.engine.inFlight()).isZero();
  }

  @Test
  void a_message_is_dead_after_its_last_attempt() {
    lane.engine.takeParked(List.of(lane.parked("a1", 9, Duration.ofMinutes(4))));
    lane.dispatch();
    lane.failAlone("a1", Outcome.failed(BROKEN));
    assertThat(lane.moves()).containsExactly("a1 DEAD RETRY_EXHAUSTED 10");
    Move.Die dead = (Move.Die) lane.settlement().moves().get(0);
    assertThat(dead.reason().code()).isEqualTo("HTTP_500");
  }

  @Test
  void a_message_is_dead_when_it_has_failed_for_too_long() {
    lane.engine.takeParked(List.of(lane.parked("a1", 3, Duration.ofHours(24))));
    lane.dispatch();
    lane.failAlone("a1", Outcome.failed(Reason.of(Reason.UNKNOWN, "?")));
    assertThat(lane.moves()).containsExactly("a1 DEAD RETRY_EXHAUSTED 4");
  }

  @Test
  void a_half_settled_batch_says_what_is_done_ahead_of_the_gap() {
    var deliveries = lane.batch("a1", "b1", "c1", "d1");
    lane.dispatch();
    lane.sent("a1", "c1");
    var partial = lane.settle();
    assertThat(partial.last()).isEqualTo(deliveries.get(0).seq());
    assertThat(partial.ahead()).containsExactly(deliveries.get(2).seq());
    assertThat(partial.whole()).isFalse();
    lane.sent("b1", "d1");
    var rest = lane.settle();
    assertThat(rest.last()).isEqualTo(deliveries.get(3).seq());
    assertThat(rest.ahead()).isEmpty();
    assertThat(rest.whole()).isTrue();
    assertThat(lane.engine.logBatches()).isEmpty();
  }

  @Test
  void what_was_never_answered_is_not_settled() {
    var deliveries = lane.batch("a1", "b1");
    lane.dispatch();
    lane.sent("b1");
    var partial = lane.settle();
    assertThat(partial.last()).isEqualTo(deliveries.get(0).seq() - 1);
    assertThat(partial.ahead()).containsExactly(deliveries.get(1).seq());
  }

  @Test
  void a_slow_answer_does_not_hold_up_what_stands_behind_its_batch() {
    lane.batch("a1", "b1", "a2");
    lane.dispatch();
    lane.sent("b1");
    lane.pass(Duration.ofSeconds(2));
    lane.engine.setAside(lane.now, Duration.ofSeconds(1));
    assertThat(lane.moves()).containsExactly("a1 ANSWER 0", "a2 TURN 0");
    var settled = lane.settle();
    assertThat(settled.whole()).isTrue();
    assertThat(lane.engine.logBatches()).isEmpty();
    lane.sent("a1");
    assertThat(lane.moves()).as("its answer still counts").containsExactly("a1 SENT");
  }

  @Test
  void a_slow_answer_that_never_comes_fails_like_any_other() {
    lane.batch("a1");
    lane.dispatch();
    lane.pass(Duration.ofSeconds(2));
    lane.engine.setAside(lane.now, Duration.ofSeconds(1));
    lane.settle();
    lane.pass(TIMEOUT);
    lane.engine.timeouts(lane.now);
    assertThat(lane.moves()).containsExactly("a1 RETRY 0");
  }

  private static final Duration SLOW_AFTER = Duration.ofSeconds(1);

  /** Lets the destination answer this many messages after this time each. */
  private void answered(int messages, Duration time) {
    for (int i = 0; i < messages; i++) {
      lane.batch("u1");
      lane.dispatch();
      lane.pass(time);
      lane.sent("u1");
      lane.settle();
    }
  }

  private long setAside() {
    return lane.engine.setAside(lane.now, SLOW_AFTER);
  }

  @Test
  void an_answer_that_is_late_for_its_destination_holds_up_nothing_after_milliseconds() {
    answered(20, Duration.ofMillis(1));
    lane.batch("a1", "b1");
    lane.dispatch();
    lane.sent("b1");
    long due = setAside();
    assertThat(lane.moves()).isEmpty();
    assertThat(due - lane.now).isBetween(1L, Duration.ofMillis(10).toNanos());
    lane.now = due;
    setAside();
    assertThat(lane.moves()).containsExactly("a1 ANSWER 0");
    assertThat(lane.settle().whole()).isTrue();
  }

  @Test
  void an_answer_that_takes_as_long_as_others_is_not_late() {
    answered(20, Duration.ofMillis(200));
    lane.batch("a1", "b1");
    lane.dispatch();
    lane.pass(Duration.ofMillis(400));
    setAside();
    assertThat(lane.moves()).isEmpty();
    lane.pass(Duration.ofMillis(500));
    setAside();
    assertThat(lane.moves()).containsExactly("a1 ANSWER 0", "b1 ANSWER 0");
  }

  @Test
  void an_answer_is_late_after_a_second_however_slow_the_destination_is() {
    answered(20, Duration.ofSeconds(2));
    lane.batch("a1");
    lane.dispatch();
    lane.pass(SLOW_AFTER);
    setAside();
    assertThat(lane.moves()).containsExactly("a1 ANSWER 0");
  }

  @Test
  void nine_messages_that_are_never_answered_hold_up_nothing() {
    lane.batch("a1", "b1", "c1", "d1", "e1", "f1", "g1", "h1", "i1", "j1");
    lane.dispatch();
    lane.sent("j1");
    lane.pass(SLOW_AFTER);
    setAside();
    assertThat(lane.moves()).hasSize(9);
    assertThat(lane.settle().whole()).isTrue();
  }

  @Test
  void only_so_many_messages_are_set_aside_at_once() {
    EngineFixture small = new EngineFixture(16, builder -> builder);
    small.batch("a1", "b1", "c1", "d1", "e1", "f1", "g1", "h1");
    small.dispatch();
    small.pass(SLOW_AFTER);
    small.engine.setAside(small.now, SLOW_AFTER);
    assertThat(small.moves()).hasSize(8);
    small.settle();
    small.batch("i1");
    small.dispatch();
    small.pass(SLOW_AFTER);
    small.engine.setAside(small.now, SLOW_AFTER);
    assertThat(small.moves()).isEmpty();
    small.sent("a1");
    small.settle();
    small.engine.setAside(small.now, SLOW_AFTER);
    assertThat(small.moves()).containsExactly("i1 ANSWER 0");
  }

  @Test
  void a_failure_beside_a_slow_answer_holds_up_nothing() {
    answered(20, Duration.ofMillis(1));
    lane.batch("a1");
    lane.dispatch();
    lane.pass(Duration.ofMillis(10));
    setAside();
    lane.settle();
    lane.batch("b1");
    lane.dispatch();
    lane.answer("b1", Outcome.failed(EngineFixture.BROKEN));
    assertThat(lane.moves()).containsExactly("b1 RETRY 0");
    assertThat(lane.settle().whole()).isTrue();
  }

  @Test
  void a_lane_learns_at_once_how_fast_its_destination_usually_is() {
    lane.batch("a1", "b1");
    lane.dispatch();
    setAside();
    lane.sent("b1");
    answered(20, Duration.ofMillis(1));
    assertThat(setAside() - lane.now).isLessThanOrEqualTo(Duration.ofMillis(5).toNanos());
    setAside();
    assertThat(lane.moves()).containsExactly("a1 ANSWER 0");
  }

  @Test
  void a_lane_does_not_spin_however_short_the_patience_is() {
    lane.batch("a1", "b1");
    lane.dispatch();
    lane.sent("a1", "b1");
    assertThat(lane.engine.setAside(lane.now, Duration.ZERO) - lane.now).isPositive();
    lane.pass(Duration.ofSeconds(1));
    assertThat(lane.engine.setAside(lane.now, Duration.ZERO) - lane.now).isPositive();
  }
}
