package io.posthorn.core.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.store.Delivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class UnderwayTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final EngineFixture fixture = new EngineFixture();
  private final Underway underway = new Underway(TIMEOUT);

  private Slot started(String name) {
    Delivery delivery = fixture.parked(name, 0, Duration.ZERO);
    Slot slot = new Flight(null, List.of(delivery)).slots.get(0);
    slot.state = Slot.State.IN_FLIGHT;
    slot.startedAt = fixture.now;
    underway.started(List.of(slot));
    return slot;
  }

  @Test
  void one_message_without_an_answer_keeps_none_of_those_sent_after_it_in_memory() {
    Slot slow = started("a0");
    for (int i = 1; i <= 100_000; i++) {
      started("b" + i).decide(null);
      assertThat(underway.size()).isLessThanOrEqualTo(1_001);
    }
    fixture.pass(TIMEOUT);
    List<Slot> late = new ArrayList<>();
    underway.timeouts(fixture.now, late::add);
    assertThat(late).containsExactly(slow);
    assertThat(underway.size()).isZero();
  }

  @Test
  void those_under_way_are_all_kept_however_many_they_are() {
    List<Slot> all = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      all.add(started("a" + i));
    }
    fixture.pass(TIMEOUT);
    List<Slot> late = new ArrayList<>();
    underway.timeouts(fixture.now, late::add);
    assertThat(late).isEqualTo(all);
  }
}
