package io.posthorn.core.connector;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReasonTest {
  @Test
  void a_code_that_was_taken_from_a_message_can_be_stored_whatever_it_is() {
    assertThat(Reason.of("a\u0000b", "text").code()).isEqualTo("a b");
    assertThat(Reason.of("x".repeat(5_000), "text").code()).hasSize(100);
    assertThat(Reason.of(" ", "text").code()).isEqualTo(Reason.UNKNOWN);
  }
}
