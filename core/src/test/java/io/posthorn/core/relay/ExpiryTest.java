package io.posthorn.core.relay;

import static io.posthorn.core.relay.EngineFixture.BROKEN;
import static io.posthorn.core.relay.EngineFixture.DOWN;
import static io.posthorn.core.relay.EngineFixture.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Delivery;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A message that has passed its age limit is not sent but dead, without an attempt. */
class ExpiryTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private EngineFixture lane = new EngineFixture(choices -> choices.notAfter("T", HOUR));

  private Delivery recorded(Delivery delivery, Instant at) {
    return new Delivery(delivery.message(), delivery.seq(), at, 0, Duration.ZERO, false, null);
  }

  private Delivery parkedSince(String name, int attempts, Duration age) {
    Delivery d = lane.parked(name, attempts, Duration.ZERO);
    return new Delivery(
        d.message(),
        d.seq(),
        d.recordedAt(),
        attempts,
        Duration.ZERO,
        true,
        null,
        0,
        false,
        age,
        Duration.ZERO,
        null);
  }

  private void take(Delivery... deliveries) {
    lane.take(Set.of(), List.of(deliveries));
  }

  @Test
  void a_message_that_is_too_old_is_dead_without_an_attempt_and_its_key_goes_on() {
    take(
        recorded(lane.delivery("T", "a1", null), NOW.minus(HOUR).minusSeconds(1)),
        recorded(lane.delivery("T", "a2", null), NOW.minus(HOUR).plusSeconds(1)));
    assertThat(lane.dispatch()).containsExactly("a2");
    assertThat(lane.moves()).containsExactly("a1 DEAD EXPIRED 0");
  }

  @Test
  void types_without_the_choice_are_sent_however_old_they_are() {
    take(recorded(lane.delivery("Other", "a1", null), NOW.minus(Duration.ofDays(30))));
    assertThat(lane.dispatch()).containsExactly("a1");
  }

  @Test
  void the_choice_for_a_type_stands_before_that_for_all() {
    lane = new EngineFixture(choices -> choices.notAfter(HOUR).notAfter("T", HOUR.multipliedBy(3)));
    Instant recorded = NOW.minus(HOUR.multipliedBy(2));
    take(
        recorded(lane.delivery("T", "a1", null), recorded),
        recorded(lane.delivery("Other", "b1", null), recorded));
    assertThat(lane.dispatch()).containsExactly("a1");
    assertThat(lane.moves()).containsExactly("b1 DEAD EXPIRED 0");
  }

  @Test
  void with_hold_the_rest_of_the_key_waits_behind_an_expired_message() {
    lane = new EngineFixture(choices -> choices.notAfter(HOUR).afterDead(AfterDead.HOLD));
    take(
        recorded(lane.delivery("T", "a1", null), NOW.minus(HOUR.multipliedBy(2))),
        recorded(lane.delivery("T", "a2", null), NOW));
    assertThat(lane.dispatch()).isEmpty();
    assertThat(lane.moves()).containsExactly("a1 DEAD EXPIRED 0", "a2 TURN 0");
  }

  @Test
  void a_scheduled_message_ages_from_its_time_on() {
    Instant recorded = NOW.minus(HOUR.multipliedBy(5));
    take(
        recorded(lane.delivery("T", "a1", NOW.minusSeconds(60)), recorded),
        recorded(lane.delivery("T", "b1", NOW.minus(HOUR.multipliedBy(2))), recorded));
    assertThat(lane.dispatch()).containsExactly("a1");
    assertThat(lane.moves()).containsExactly("b1 DEAD EXPIRED 0");
  }

  @Test
  void parked_messages_expire_too_and_keep_their_count_of_attempts() {
    lane.engine.takeParked(
        List.of(
            parkedSince("a1", 3, HOUR.plusSeconds(1)), parkedSince("a2", 0, HOUR.minusSeconds(1))));
    assertThat(lane.dispatch()).containsExactly("a2");
    assertThat(lane.moves()).containsExactly("a1 DEAD EXPIRED 3");
  }

  @Test
  void a_message_that_becomes_too_old_behind_an_open_breaker_is_not_sent() {
    lane.batch("a1", "b1");
    lane.dispatch();
    lane.answer("a1", Outcome.unavailable(DOWN));
    lane.answer("b1", Outcome.unavailable(DOWN));
    lane.pass(HOUR.plusSeconds(1));
    assertThat(lane.dispatch()).isEmpty();
    assertThat(lane.moves()).containsExactly("a1 DEAD EXPIRED 0", "b1 DEAD EXPIRED 0");
  }

  @Test
  void one_that_waits_for_its_predecessor_ages_meanwhile() {
    lane.batch("a1", "a2");
    lane.dispatch();
    lane.pass(HOUR.plusSeconds(1));
    lane.sent("a1");
    assertThat(lane.dispatch()).isEmpty();
    assertThat(lane.moves()).containsExactly("a2 DEAD EXPIRED 0");
  }

  @Test
  void a_suspect_is_judged_when_all_others_have_expired() {
    lane = new EngineFixture(choices -> choices.notAfter("Old", HOUR));
    take(
        recorded(lane.delivery("T", "a1", null), NOW),
        recorded(lane.delivery("Old", "-2", null), NOW));
    List<String> sent = lane.dispatch();
    assertThat(sent).containsExactly("a1", "-2");
    lane.take(
        Set.of(),
        List.of(recorded(lane.delivery("Old", "-3", null), NOW.minus(Duration.ofDays(1)))));
    lane.answer("-2", Outcome.failed(BROKEN));
    lane.answer("a1", Outcome.failed(BROKEN));
    assertThat(lane.dispatch()).isEmpty();
    assertThat(lane.moves())
        .containsExactlyInAnyOrder("a1 RETRY 0", "-2 RETRY 0", "-3 DEAD EXPIRED 0");
  }
}
