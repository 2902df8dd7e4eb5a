package io.posthorn.core.relay;

import static io.posthorn.core.relay.EngineFixture.BROKEN;
import static io.posthorn.core.relay.EngineFixture.DOWN;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.observe.Event;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Decides whether the message or the destination is at fault. */
class BlameTest {
  private static final Duration A_WHILE = Duration.ofMinutes(1);
  private final EngineFixture lane = new EngineFixture(choices -> choices.breakerAfter(3));

  @Test
  void an_unavailable_destination_stops_everything_and_burns_no_attempt() {
    lane.batch("a1", "b1", "c1");
    lane.dispatch();
    lane.answer("a1", Outcome.unavailable(DOWN));
    lane.answer("b1", Outcome.unavailable(DOWN));
    lane.answer("c1", Outcome.unavailable(DOWN));
    assertThat(lane.engine.breaker().isOpen()).isTrue();
    assertThat(lane.dispatch()).isEmpty();
    assertThat(lane.moves()).isEmpty();
    for (int outage = 0; outage < 3; outage++) {
      lane.pass(A_WHILE);
      List<String> probe = lane.dispatch();
      assertThat(probe).hasSize(1);
      lane.answer(probe.get(0), Outcome.unavailable(DOWN));
    }
    assertThat(lane.moves()).as("nothing dead, nothing parked").isEmpty();
    lane.pass(A_WHILE);
    lane.sent(lane.dispatch().get(0));
    assertThat(lane.engine.breaker().isOpen()).isFalse();
    assertThat(lane.dispatch()).hasSize(1);
    assertThat(lane.dispatch()).hasSize(1);
  }

  @Test
  void when_all_in_memory_fail_they_make_room_for_others_without_an_attempt() {
    lane.batch("a1", "b1", "c1");
    lane.dispatch();
    lane.answer("a1", Outcome.failed(BROKEN));
    lane.answer("b1", Outcome.failed(BROKEN));
    lane.answer("c1", Outcome.failed(BROKEN));
    assertThat(lane.engine.breaker().isOpen()).isTrue();
    for (int i = 0; i < 3; i++) {
      lane.pass(A_WHILE);
      lane.answer(lane.dispatch().get(0), Outcome.failed(BROKEN));
    }
    assertThat(lane.moves()).containsExactly("a1 RETRY 0", "b1 RETRY 0", "c1 RETRY 0");
    lane.settle();
    assertThat(lane.engine.logBatches()).as("the next window can be opened").isEmpty();
    lane.batch("d1");
    lane.pass(A_WHILE);
    lane.sent(lane.dispatch().get(0));
    assertThat(lane.engine.breaker().isOpen()).isFalse();
  }

  @Test
  void messages_at_which_the_receiver_hangs_up_make_room_too_after_one_round() {
    lane.batch("a1", "b1");
    lane.dispatch();
    lane.answer("a1", Outcome.unavailable(DOWN));
    lane.answer("b1", Outcome.unavailable(DOWN));
    for (int i = 0; i < 4; i++) {
      lane.pass(A_WHILE);
      lane.answer(lane.dispatch().get(0), Outcome.unavailable(DOWN));
    }
    assertThat(lane.moves()).containsExactly("a1 RETRY 0", "b1 RETRY 0");
  }

  @Test
  void many_that_fail_at_once_make_no_longer_pause_than_one() {
    String[] all = new String[100];
    for (int i = 0; i < all.length; i++) {
      all[i] = "-" + i;
    }
    lane.batch(all);
    lane.dispatch();
    for (String name : all) {
      lane.answer(name, Outcome.unavailable(DOWN));
    }
    lane.pass(Duration.ofMillis(300));
    assertThat(lane.dispatch()).hasSize(1);
  }

  @Test
  void the_probe_is_another_key_s_each_time() {
    lane.batch("a1", "b1", "c1");
    lane.dispatch();
    lane.answer("a1", Outcome.unavailable(DOWN));
    lane.answer("b1", Outcome.unavailable(DOWN));
    lane.answer("c1", Outcome.unavailable(DOWN));
    lane.started.clear();
    for (int i = 0; i < 3; i++) {
      lane.pass(A_WHILE);
      lane.answer(lane.dispatch().get(0), Outcome.unavailable(DOWN));
    }
    assertThat(lane.started).containsExactly("a1", "b1", "c1");
  }

  @Test
  void a_message_at_which_the_receiver_hangs_up_is_blamed_once_others_were_sent_in_between() {
    lane.batch("a1", "b1");
    lane.dispatch();
    lane.answer("a1", Outcome.unavailable(DOWN));
    lane.sent("b1");
    assertThat(lane.dispatch()).as("closed again").containsExactly("a1");
    lane.answer("a1", Outcome.unavailable(DOWN));
    assertThat(lane.moves()).containsExactly("a1 RETRY 1");
    assertThat(lane.engine.breaker().isOpen()).isFalse();
  }

  @Test
  void a_receiver_that_is_gone_for_good_is_to_be_paused_and_no_message_is_blamed() {
    lane.batch("a1", "b1", "c1");
    lane.dispatch();
    lane.answer("a1", Outcome.gone(DOWN));
    lane.sent("b1");
    assertThat(lane.dispatch()).containsExactly("a1");
    lane.answer("a1", Outcome.gone(DOWN));
    lane.answer("c1", Outcome.gone(DOWN));
    assertThat(lane.moves()).isEmpty();
    assertThat(lane.engine.breaker().isOpen()).isTrue();
    assertThat(lane.engine.blame().takeGone()).isEqualTo(DOWN);
    assertThat(lane.engine.blame().takeGone()).as("returned once").isNull();
  }

  @Test
  void several_keys_failing_in_a_row_are_the_destination_s_fault() {
    lane.batch("a1", "b1", "c1", "d1");
    lane.dispatch();
    lane.answer("a1", Outcome.failed(BROKEN));
    lane.answer("b1", Outcome.failed(BROKEN));
    lane.answer("c1", Outcome.failed(BROKEN));
    lane.answer("d1", Outcome.failed(BROKEN));
    assertThat(lane.engine.breaker().isOpen()).isTrue();
    assertThat(lane.moves()).isEmpty();
    assertThat(lane.events).hasAtLeastOneElementOfType(Event.BreakerOpened.class);
  }

  @Test
  void a_failure_beside_a_success_is_the_message_s_fault() {
    lane.batch("a1", "b1");
    lane.dispatch();
    lane.answer("a1", Outcome.failed(BROKEN));
    assertThat(lane.moves()).as("not clear yet").isEmpty();
    lane.sent("b1");
    assertThat(lane.moves()).containsExactly("a1 RETRY 1");
  }

  @Test
  void a_failure_with_nothing_to_compare_it_with_is_nobody_s_fault() {
    lane.batch("a1");
    lane.dispatch();
    lane.answer("a1", Outcome.failed(BROKEN));
    assertThat(lane.moves()).containsExactly("a1 RETRY 0");
  }

  @Test
  void a_failure_that_cannot_be_the_destination_s_is_the_message_s_even_if_it_is_alone() {
    lane.batch("a1");
    lane.dispatch();
    lane.answer("a1", Outcome.failedByMessage(BROKEN));
    assertThat(lane.moves()).containsExactly("a1 RETRY 1");
  }

  @Test
  void many_failures_of_single_messages_are_the_destination_s_fault() {
    lane.batch("a1", "b1", "c1");
    lane.dispatch();
    for (String name : List.of("a1", "b1", "c1")) {
      lane.answer(name, Outcome.failedByMessage(BROKEN));
    }
    assertThat(lane.engine.breaker().isOpen()).isTrue();
    assertThat(lane.moves()).isEmpty();
  }

  @Test
  void a_message_sent_once_by_hand_is_dead_after_that_one_try() {
    lane.engine.takeParked(List.of(lane.once("a1")));
    lane.dispatch();
    lane.answer("a1", Outcome.failed(BROKEN));
    assertThat(lane.moves()).containsExactly("a1 DEAD RETRY_EXHAUSTED 1");
  }

  @Test
  void failures_of_one_key_never_open_the_breaker() {
    for (int i = 0; i < 20; i++) {
      lane.engine.takeParked(List.of(lane.parked("a1", i % 5, Duration.ofSeconds(i))));
      lane.dispatch();
      lane.answer("a1", Outcome.failed(BROKEN));
      lane.settle();
    }
    assertThat(lane.engine.breaker().isOpen()).isFalse();
  }

  @Test
  void a_rejection_shows_that_the_destination_works() {
    lane.batch("a1", "b1", "c1", "d1");
    lane.dispatch();
    lane.answer("a1", Outcome.failed(BROKEN));
    lane.answer("b1", Outcome.failed(BROKEN));
    lane.answer("c1", Outcome.rejected(BROKEN));
    lane.answer("d1", Outcome.failed(BROKEN));
    assertThat(lane.engine.breaker().isOpen()).isFalse();
  }

  @Test
  void every_failed_call_is_reported_even_if_it_counts_as_no_attempt() {
    lane.batch("a1");
    lane.dispatch();
    lane.answer("a1", Outcome.unavailable(DOWN));
    assertThat(lane.events).hasAtLeastOneElementOfType(Event.CallFailed.class);
  }
}
