package io.posthorn.core.relay;

import static io.posthorn.core.relay.EngineFixture.BROKEN;
import static io.posthorn.core.relay.EngineFixture.DOWN;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.store.Move;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** No attempt counts until it is known that the destination is not at fault. */
class JudgmentTest {
  private static final Duration A_MOMENT = Duration.ofMillis(5);
  private static final Duration A_WHILE = Duration.ofMinutes(1);

  private final EngineFixture lane =
      new EngineFixture(choices -> choices.breakerAfter(4).retry(RetryPolicy.DEFAULT.attempts(1)));

  private void fail(String... names) {
    for (String name : names) {
      lane.pass(A_MOMENT);
      lane.answer(name, Outcome.failed(BROKEN));
    }
  }

  private void send(String... names) {
    for (String name : names) {
      lane.pass(A_MOMENT);
      lane.sent(name);
    }
  }

  @Test
  void messages_that_come_and_fail_one_by_one_kill_nothing() {
    for (String name : List.of("a1", "b1", "c1")) {
      lane.batch(name);
      lane.dispatch();
      fail(name);
      assertThat(lane.moves()).containsExactly(name + " RETRY 0");
      lane.settle();
    }
    assertThat(lane.engine.breaker().isOpen()).isFalse();
    lane.batch("d1");
    lane.dispatch();
    fail("d1");
    assertThat(lane.engine.breaker().isOpen()).isTrue();
    assertThat(lane.moves()).isEmpty();
  }

  @Test
  void a_success_that_began_before_a_failure_does_not_blame_it() {
    lane.batch("a1", "b1", "c1");
    lane.dispatch();
    fail("a1");
    send("b1");
    assertThat(lane.moves()).isEmpty();
    fail("c1");
    assertThat(lane.moves()).containsExactly("a1 RETRY 0", "c1 RETRY 0");
  }

  @Test
  void a_success_that_began_after_a_lone_failure_blames_it_at_once() {
    lane.batch("a1", "b1");
    lane.dispatch();
    fail("a1");
    lane.batch("c1");
    lane.dispatch();
    send("c1");
    assertThat(lane.moves()).containsExactly("a1 DEAD RETRY_EXHAUSTED 1");
  }

  @Test
  void those_that_failed_together_are_tried_once_more_after_another_was_sent() {
    lane.batch("a1", "b1", "c1", "d1");
    lane.dispatch();
    fail("a1", "b1");
    lane.batch("e1");
    lane.dispatch();
    send("e1");
    assertThat(lane.moves()).containsExactly("a1 RETRY 0", "b1 RETRY 0");
  }

  @Test
  void successes_that_were_under_way_do_not_keep_the_breaker_from_opening() {
    lane.batch("a1", "b1");
    lane.dispatch();
    lane.pass(A_MOMENT);
    lane.batch("c1", "d1", "e1", "f1");
    lane.dispatch();
    fail("c1", "d1");
    send("a1");
    fail("e1");
    send("b1");
    fail("f1");
    assertThat(lane.engine.breaker().isOpen()).isTrue();
    assertThat(lane.moves()).isEmpty();
  }

  @Test
  void a_success_that_was_under_way_when_the_breaker_opened_does_not_close_it() {
    lane.batch("a1", "b1", "c1");
    lane.dispatch();
    lane.pass(A_MOMENT);
    lane.answer("a1", Outcome.unavailable(DOWN));
    send("b1");
    assertThat(lane.engine.breaker().isOpen()).isTrue();
    assertThat(lane.dispatch()).as("but the next is tried at once").containsExactly("a1");
    lane.answer("a1", Outcome.unavailable(DOWN));
    send("c1");
    assertThat(lane.dispatch()).as("once only").isEmpty();
    assertThat(lane.moves()).isEmpty();
  }

  @Test
  void a_receiver_that_comes_back_for_a_moment_burns_no_attempt() {
    lane.batch("a1", "b1", "c1", "d1", "e1");
    lane.dispatch();
    for (String name : List.of("a1", "b1", "c1", "d1", "e1")) {
      lane.pass(A_MOMENT);
      lane.answer(name, Outcome.unavailable(DOWN));
    }
    lane.pass(A_WHILE);
    assertThat(lane.dispatch()).containsExactly("a1");
    send("a1");
    assertThat(lane.engine.breaker().isOpen()).isFalse();
    for (String name : List.of("b1", "c1", "d1", "e1")) {
      lane.pass(A_MOMENT);
      assertThat(lane.dispatch()).containsExactly(name);
      lane.answer(name, Outcome.unavailable(DOWN));
    }
    assertThat(lane.engine.breaker().isOpen()).isTrue();
    assertThat(lane.moves()).isEmpty();
  }

  @Test
  void what_fails_alone_again_after_others_were_sent_is_blamed() {
    lane.batch("a1");
    lane.dispatch();
    fail("a1");
    lane.settle();
    lane.pass(Duration.ofSeconds(10));
    lane.batch("b1");
    lane.dispatch();
    send("b1");
    lane.settle();
    lane.pass(Duration.ofSeconds(10));
    lane.engine.takeParked(List.of(lane.suspect("a1", Duration.ofSeconds(20))));
    lane.dispatch();
    fail("a1");
    assertThat(lane.moves()).containsExactly("a1 DEAD RETRY_EXHAUSTED 1");
  }

  @Test
  void what_fails_alone_again_and_no_other_was_sent_meanwhile_waits_on() {
    lane.batch("b1");
    lane.dispatch();
    send("b1");
    lane.settle();
    lane.pass(Duration.ofSeconds(10));
    lane.engine.takeParked(List.of(lane.suspect("a1", Duration.ofSeconds(9))));
    lane.dispatch();
    fail("a1");
    assertThat(lane.moves()).containsExactly("a1 RETRY 0");
  }

  @Test
  void a_success_that_began_after_the_second_try_did_says_nothing_about_it() {
    lane.engine.takeParked(List.of(lane.suspect("a1", Duration.ofSeconds(9))));
    lane.dispatch();
    lane.pass(A_MOMENT);
    lane.batch("b1");
    lane.dispatch();
    send("b1");
    fail("a1");
    assertThat(lane.moves()).containsExactly("a1 RETRY 0");
  }

  @Test
  void messages_that_fail_while_many_others_are_sent_do_not_open_the_breaker() {
    for (String name : List.of("p1", "q1", "r1", "s1")) {
      lane.batch(name);
      lane.dispatch();
      send(name);
    }
    lane.settle();
    lane.pass(Duration.ofSeconds(10));
    lane.engine.takeParked(
        List.of(
            lane.suspect("a1", A_WHILE),
            lane.suspect("b1", A_WHILE),
            lane.suspect("c1", A_WHILE),
            lane.suspect("d1", A_WHILE)));
    for (int i = 0; i < 4; i++) {
      lane.dispatch();
    }
    fail("a1", "b1", "c1");
    lane.batch("z1");
    fail("d1");
    assertThat(lane.engine.breaker().isOpen()).isFalse();
    lane.dispatch();
    send("z1");
    assertThat(lane.moves()).hasSize(4).allMatch(move -> move.endsWith("DEAD RETRY_EXHAUSTED 1"));
  }

  @Test
  void what_this_program_rejects_itself_says_nothing_about_the_destination() {
    lane.batch("a1");
    lane.dispatch();
    fail("a1");
    lane.settle();
    lane.batch("b1");
    lane.dispatch();
    lane.answer("b1", Outcome.unavailable(DOWN));
    lane.batch("c1");
    lane.pass(A_WHILE);
    TrackedDelivery probe = lane.engine.dispatch(lane.now).get(0);
    lane.engine.answeredUnsent(probe, lane.now, Outcome.rejected(BROKEN), lane.now);
    assertThat(lane.moves()).containsExactly("c1 DEAD HTTP_500 1");
    assertThat(lane.engine.breaker().isOpen()).isTrue();
    assertThat(lane.dispatch()).as("the next may be tried").containsExactly("b1");
  }

  @Test
  void suspects_do_not_wait_for_a_slow_answer_that_cannot_tell() {
    lane.batch("a1", "b1", "c1");
    lane.dispatch();
    fail("a1");
    lane.engine.setAside(lane.now, Duration.ofSeconds(1));
    assertThat(lane.moves()).isEmpty();
    lane.pass(Duration.ofSeconds(1));
    lane.engine.setAside(lane.now, Duration.ofSeconds(1));
    assertThat(lane.moves()).containsExactlyInAnyOrder("a1 RETRY 0", "b1 ANSWER 0", "c1 ANSWER 0");
  }

  @Test
  void what_fails_alone_waits_longer_each_time() {
    lane.engine.takeParked(List.of(lane.suspect("a1", Duration.ofSeconds(15))));
    lane.dispatch();
    fail("a1");
    Move.Park park = (Move.Park) lane.settlement().moves().get(0);
    assertThat(park.delay()).isBetween(Duration.ofSeconds(16), Duration.ofSeconds(20));
  }

  @Test
  void many_suspects_do_not_fill_the_lane_for_ever() {
    EngineFixture small = new EngineFixture(2, choices -> choices.breakerAfter(4));
    small.batch("a1", "b1", "c1");
    assertThat(small.dispatch()).containsExactly("a1", "b1");
    small.answer("a1", Outcome.failed(BROKEN));
    small.answer("b1", Outcome.failed(BROKEN));
    assertThat(small.moves()).containsExactlyInAnyOrder("a1 RETRY 0", "b1 RETRY 0");
    small.settle();
    assertThat(small.dispatch()).containsExactly("c1");
  }

  @Test
  void later_messages_of_its_key_wait_behind_a_suspect_and_other_keys_go_on() {
    lane.batch("a1", "a2", "b1", "c1");
    lane.dispatch();
    fail("a1");
    lane.batch("a3", "d1");
    assertThat(lane.dispatch()).containsExactly("d1");
    fail("b1");
    assertThat(lane.dispatch()).isEmpty();
    send("d1", "c1");
    assertThat(lane.moves())
        .containsExactlyInAnyOrder("a1 RETRY 0", "b1 RETRY 0", "a2 TURN 0", "a3 TURN 0");
    assertThat(lane.started).doesNotContain("a2", "a3");
  }
}
