package io.posthorn.core.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.Test;

class MessageIdsTest {
  @Test
  void a_uuid_is_kept() {
    String text = "01890A5D-ac96-774b-bcce-b302099a8057";
    assertThat(MessageIds.of(text)).isEqualTo(UUID.fromString(text));
  }

  @Test
  void any_other_text_always_makes_the_same_id_that_has_no_time() {
    for (String text : new String[] {"order-42", "", "1-1-1-1-1", "Ž 😀"}) {
      UUID id = MessageIds.of(text);
      assertThat(id).isEqualTo(MessageIds.of(text));
      assertThat(id.version()).isEqualTo(8);
      assertThat(id.variant()).isEqualTo(2);
      assertThat(id).isNotEqualTo(MessageIds.of(text + " "));
    }
    assertThat(MessageIds.of("order-42"))
        .as("receipts are kept under it: it must never change")
        .isEqualTo(UUID.fromString("3bf8b157-c423-8eef-a5ae-4a66eca81c6b"));
  }
}
