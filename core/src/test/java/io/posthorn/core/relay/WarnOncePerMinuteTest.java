package io.posthorn.core.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

class WarnOncePerMinuteTest {
  private long now = Long.MAX_VALUE - Duration.ofSeconds(90).toNanos();
  private final WarnOncePerMinute warnOnce = new WarnOncePerMinute(() -> now);

  @Test
  void a_problem_is_logged_at_once_and_then_once_a_minute() {
    assertThat(warnOnce.warnLevel("claim")).isEqualTo(Level.WARN);
    for (int second = 1; second < 60; second++) {
      now += Duration.ofSeconds(1).toNanos();
      assertThat(warnOnce.warnLevel("claim")).isEqualTo(Level.DEBUG);
    }
    now += Duration.ofSeconds(1).toNanos();
    assertThat(warnOnce.warnLevel("claim")).isEqualTo(Level.WARN);
    now += Duration.ofSeconds(59).toNanos();
    assertThat(warnOnce.warnLevel("claim"))
        .as("a clock that has overflowed")
        .isEqualTo(Level.DEBUG);
  }

  @Test
  void one_problem_does_not_hide_another() {
    assertThat(warnOnce.warnLevel("claim")).isEqualTo(Level.WARN);
    assertThat(warnOnce.warnLevel("settle")).isEqualTo(Level.WARN);
  }
}
