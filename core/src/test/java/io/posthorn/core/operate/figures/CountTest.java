package io.posthorn.core.operate.figures;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.operate.figures.Figures.Count;
import org.junit.jupiter.api.Test;

class CountTest {
  @Test
  void one_is_shown_in_the_singular_and_every_other_number_in_the_plural() {
    assertThat(Count.exactly(1).of("message")).isEqualTo("1 message");
    assertThat(Count.exactly(0).of("message")).isEqualTo("0 messages");
    assertThat(Count.exactly(2).of("leaf", "leaves")).isEqualTo("2 leaves");
  }

  @Test
  void an_estimate_says_so() {
    assertThat(new Count(20_000, true).of("key")).isEqualTo("about 20,000 keys");
  }
}
