package io.posthorn.core.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.store.Delivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AwaitedAnswersTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final EngineFixture fixture = new EngineFixture();
  private final AwaitedAnswers awaitedAnswers = new AwaitedAnswers(TIMEOUT);

  private TrackedDelivery started(String name) {
    Delivery delivery = fixture.parked(name, 0, Duration.ZERO);
    TrackedDelivery sent = new TrackedBatch(null, List.of(delivery)).deliveries.get(0);
    sent.state = TrackedDelivery.State.IN_FLIGHT;
    sent.startedAt = fixture.now;
    awaitedAnswers.started(List.of(sent));
    return sent;
  }

  @Test
  void one_message_without_an_answer_keeps_none_of_those_sent_after_it_in_memory() {
    TrackedDelivery slow = started("a0");
    for (int i = 1; i <= 100_000; i++) {
      started("b" + i).decide(null);
      assertThat(awaitedAnswers.size()).isLessThanOrEqualTo(1_001);
    }
    fixture.pass(TIMEOUT);
    List<TrackedDelivery> late = new ArrayList<>();
    awaitedAnswers.timeouts(fixture.now, late::add);
    assertThat(late).containsExactly(slow);
    assertThat(awaitedAnswers.size()).isZero();
  }

  @Test
  void those_under_way_are_all_kept_however_many_they_are() {
    List<TrackedDelivery> all = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      all.add(started("a" + i));
    }
    fixture.pass(TIMEOUT);
    List<TrackedDelivery> late = new ArrayList<>();
    awaitedAnswers.timeouts(fixture.now, late::add);
    assertThat(late).isEqualTo(all);
  }
}
