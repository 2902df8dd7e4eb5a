package io.posthorn.core.relay;

import static io.posthorn.core.relay.EngineFixture.BROKEN;
import static io.posthorn.core.relay.EngineFixture.DOWN;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.observe.Event;
import io.posthorn.core.store.Delivery;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** While the breaker is open there is always a message to try, so a lane never stands still. */
class OpenBreakerTest {
  private static final Duration A_WHILE = Duration.ofMinutes(1);

  private static void probe(EngineFixture lane, Outcome outcome) {
    lane.pass(A_WHILE);
    List<String> probe = lane.dispatch();
    assertThat(probe).hasSize(1);
    lane.answer(probe.get(0), outcome);
  }

  @Test
  void messages_kept_by_a_limit_of_their_type_are_tried_too() {
    EngineFixture lane =
        new EngineFixture(choices -> choices.limit("T", SendLimit.DEFAULT.maxInFlight(1)));
    lane.batch("a1", "b1", "c1");
    assertThat(lane.dispatch()).containsExactly("a1");
    lane.answer("a1", Outcome.unavailable(DOWN));
    for (int i = 0; i < 5; i++) {
      probe(lane, Outcome.unavailable(DOWN));
    }
    probe(lane, Outcome.SENT);
    assertThat(lane.engine.breaker().isOpen()).isFalse();
  }

  @Test
  void a_message_that_has_not_failed_is_tried_before_those_that_have() {
    EngineFixture lane = new EngineFixture();
    lane.batch("a1", "b1");
    lane.dispatch();
    lane.answer("a1", Outcome.unavailable(DOWN));
    lane.answer("b1", Outcome.unavailable(DOWN));
    lane.engine.takeParked(
        List.of(lane.parked("c1", 1, Duration.ZERO), lane.suspect("d1", A_WHILE)));
    assertThat(lane.engine.hasProbe()).as("others should be claimed").isFalse();
    lane.batch("e1");
    assertThat(lane.engine.hasProbe()).isTrue();
    lane.pass(A_WHILE);
    assertThat(lane.dispatch()).containsExactly("e1");
    lane.answer("e1", Outcome.unavailable(DOWN));
    lane.pass(A_WHILE);
    // Messages of the log and parked messages take turns.
    assertThat(lane.dispatch()).containsExactly("c1");
  }

  @Test
  void a_probe_that_was_set_aside_is_no_probe_for_ever() {
    EngineFixture lane = new EngineFixture();
    lane.batch("a1", "b1");
    lane.dispatch();
    lane.answer("a1", Outcome.unavailable(DOWN));
    lane.pass(A_WHILE);
    assertThat(lane.dispatch()).containsExactly("a1");
    lane.sent("b1");
    lane.pass(Duration.ofSeconds(5));
    lane.engine.setAside(lane.now, Duration.ofSeconds(1));
    lane.sent("a1");
    lane.settle();

    lane.batch("c1");
    lane.dispatch();
    lane.answer("c1", Outcome.unavailable(DOWN));
    probe(lane, Outcome.SENT);
    assertThat(lane.engine.breaker().isOpen()).isFalse();
  }

  @Test
  void the_oldest_of_those_set_aside_fails_at_its_own_timeout() {
    EngineFixture lane = new EngineFixture(choices -> choices.sendTimeout(Duration.ofSeconds(10)));
    lane.batch("a1");
    lane.dispatch();
    lane.pass(Duration.ofSeconds(2));
    lane.engine.setAside(lane.now, Duration.ofSeconds(1));
    lane.settle();
    lane.pass(Duration.ofSeconds(6));
    lane.batch("b1");
    lane.dispatch();
    lane.pass(Duration.ofMillis(1_500));
    lane.engine.setAside(lane.now, Duration.ofSeconds(1));
    lane.settle();
    assertThat(lane.events).noneMatch(Event.CallFailed.class::isInstance);
    lane.pass(Duration.ofMillis(600));
    lane.engine.timeouts(lane.now);
    assertThat(lane.events).anyMatch(Event.CallFailed.class::isInstance);
  }

  @Test
  void a_parked_message_waits_for_one_of_its_key_that_is_to_be_parked_before_it() {
    EngineFixture lane = new EngineFixture();
    lane.batch("a1", "b1");
    lane.dispatch();
    lane.answer("a1", Outcome.failed(BROKEN));
    lane.sent("b1");
    assertThat(lane.moves()).containsExactly("a1 RETRY 1");
    lane.engine.takeParked(List.of(lane.parked("a9", 0, Duration.ZERO)));
    assertThat(lane.dispatch()).as("a1 is not stored yet").isEmpty();
  }

  @Test
  void a_message_whose_late_answer_is_awaited_is_not_sent_a_second_time() {
    EngineFixture lane = new EngineFixture();
    List<Delivery> batch = lane.batch("-1", "-2");
    lane.dispatch();
    lane.sent("-2");
    lane.pass(Duration.ofSeconds(5));
    lane.engine.setAside(lane.now, Duration.ofSeconds(1));
    lane.settle();
    Delivery slow = batch.get(0);
    lane.engine.takeParked(
        List.of(
            new Delivery(
                slow.message(), slow.seq(), slow.recordedAt(), 0, Duration.ZERO, true, null)));
    assertThat(lane.dispatch()).isEmpty();
  }
}
