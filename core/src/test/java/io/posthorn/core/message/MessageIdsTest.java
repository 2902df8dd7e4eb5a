package io.posthorn.core.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.Test;

class MessageIdsTest {
  @Test
  void a_uuid_stays_what_it_is() {
    UUID id = UUID.randomUUID();
    assertThat(MessageIds.of("shop", id.toString())).isEqualTo(id);
    assertThat(MessageIds.of("shop", id.toString().toUpperCase(java.util.Locale.ROOT)))
        .isEqualTo(id);
  }

  @Test
  void any_other_id_of_a_sender_is_always_the_same_uuid_and_never_that_of_another() {
    UUID id = MessageIds.of("shop", "order-1");
    assertThat(MessageIds.of("shop", "order-1")).isEqualTo(id);
    assertThat(MessageIds.of("stock", "order-1")).isNotEqualTo(id);
    assertThat(MessageIds.of("shopo", "rder-1")).isNotEqualTo(id);
    assertThat(MessageIds.of("shop", "1-1-1-1-1").version()).isEqualTo(8);
    assertThat(id.version()).isEqualTo(8);
    assertThat(id.variant()).isEqualTo(2);
  }
}
