package io.posthorn.crashtests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What {@code ./check} keeps red although the test passed when it was repeated. */
class BrokenPromiseTest {
  @Test
  void assertions_that_fail_and_waits_that_end_in_vain_are_broken_promises() {
    assertThatThrownBy(() -> BrokenPromise.unless(() -> assertThat(1).as("sums").isEqualTo(2)))
        .isInstanceOf(BrokenPromise.class)
        .hasMessageContaining("sums")
        .hasCauseInstanceOf(AssertionError.class);
    BrokenPromise.Assertions inVain =
        () -> await().atMost(Duration.ofMillis(150)).until(() -> false);
    assertThatThrownBy(() -> BrokenPromise.unless(inVain)).isInstanceOf(BrokenPromise.class);
    BrokenPromise.unless(() -> assertThat(inVain).isNotNull());
  }
}
