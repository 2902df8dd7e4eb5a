package io.posthorn.core.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** What the breaker remembers of failures. */
class BreakerTest {
  private static final int AFTER_KEYS = 20;

  private final Breaker breaker = new Breaker(AFTER_KEYS, new Random(1));

  @Test
  void any_number_of_keys_that_always_fail_takes_a_bounded_memory_and_opens_nothing() {
    for (int i = 0; i < 100_000; i++) {
      assertThat(breaker.failed("poison " + i, i, false)).isFalse();
      assertThat(breaker.failedKeys()).isLessThanOrEqualTo(2 * AFTER_KEYS);
    }
    assertThat(breaker.othersFailed("poison 1")).isTrue();
    assertThat(breaker.othersFailed("another")).isTrue();
  }

  @Test
  void keys_that_always_fail_do_not_hide_an_outage() {
    for (int i = 0; i < 1_000; i++) {
      breaker.failed("poison " + i, i, false);
    }
    for (int i = 1; i < AFTER_KEYS; i++) {
      assertThat(breaker.failed("key " + i, 1_000, true)).isFalse();
    }
    assertThat(breaker.failed("key " + AFTER_KEYS, 1_000, true)).isTrue();
    assertThat(breaker.failedKeys()).isLessThanOrEqualTo(2 * AFTER_KEYS);
  }

  @Test
  void a_success_forgets_the_failures_before_it() {
    breaker.failed("a", 1, true);
    breaker.failed("b", 3, true);
    breaker.worked(2, 4);
    assertThat(breaker.failedKeys()).isEqualTo(1);
    assertThat(breaker.othersFailed("b")).isFalse();
  }
}
