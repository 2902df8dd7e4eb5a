package io.posthorn.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SettableClockTest {
  @Test
  void it_stands_still_until_a_test_moves_it() {
    SettableClock clock = new SettableClock(Long.MAX_VALUE);
    long before = clock.nanoTime();
    assertThat(clock.nanoTime()).isEqualTo(before);
    clock.advance(Duration.ofMillis(3));
    assertThat(clock.nanoTime() - before).isEqualTo(3_000_000);
  }

  @Test
  void it_does_not_go_back() {
    SettableClock clock = new SettableClock();
    assertThatThrownBy(() -> clock.advance(Duration.ofNanos(-1)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
