package io.posthorn.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class TakeoversTest {
  private final Takeovers takeovers = new Takeovers();

  @Test
  void a_takeover_lasts_until_every_lane_delivers_by_another_process() {
    var takeover = takeovers.killed("relay-1", 10, 1_000, List.of("stock", "mail"));

    assertThat(seen("stock", 10, 1_001)).isEmpty();
    assertThat(seen("payments", 20, 1_100)).isEmpty();
    assertThat(seen("mail", 20, 2_500)).isEmpty();
    assertThat(takeover.isDone()).isFalse();
    assertThat(seen("stock", 20, 3_900)).containsExactly(takeover);

    assertThat(takeover.took()).isEqualTo(Duration.ofMillis(2_900));
    assertThat(takeovers.longest()).isEqualTo(Duration.ofMillis(2_900));
  }

  @Test
  void one_that_held_no_lane_needs_no_takeover() {
    assertThat(takeovers.killed("relay-1", 10, 1_000, List.of()).isDone()).isTrue();
    assertThat(takeovers.kills()).isEqualTo(1);
    assertThat(takeovers.longest()).isZero();
  }

  private List<Takeovers.Takeover> seen(String destination, long pid, long at) {
    return takeovers.seen(
        new Sighting(destination, new OrderChanged("order-1", 1, false), pid, at, 0));
  }
}
