package io.posthorn.core.operate.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.error.PosthornException;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IdPrefixTest {
  @Test
  void a_beginning_is_the_range_of_all_ids_that_begin_so() {
    IdPrefix prefix = IdPrefix.of("018F-0c3");
    assertThat(prefix.digits()).isEqualTo("018f0c3");
    assertThat(prefix.isWhole()).isFalse();
    assertThat(prefix.first()).hasToString("018f0c30-0000-0000-0000-000000000000");
    assertThat(prefix.last()).hasToString("018f0c3f-ffff-ffff-ffff-ffffffffffff");
    assertThat(IdPrefix.of("ffff").first()).hasToString("ffff0000-0000-0000-0000-000000000000");
  }

  @Test
  void a_whole_id_is_the_range_of_itself() {
    UUID id = UUID.fromString("018f0c3e-7b1a-7c3d-9e4f-0123456789ab");
    IdPrefix whole = IdPrefix.of(id.toString());
    assertThat(whole.isWhole()).isTrue();
    assertThat(whole.first()).isEqualTo(id);
    assertThat(whole.last()).isEqualTo(id);
    assertThat(whole).hasToString(id.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "018", "01 8f", "order", "018f0c3e-7b1a-7c3d-9e4f-0123456789abc"})
  void anything_else_is_refused(String text) {
    assertThatThrownBy(() -> IdPrefix.of(text))
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining("at least its first 4 digits");
  }
}
