package io.posthorn.spring.handler;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.connector.RejectedException;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.PayloadReader;
import org.junit.jupiter.api.Test;

class HandlerCallTest {
  private final Message message = Message.of("Placed").build();

  @Test
  void what_a_reader_says_about_a_payload_is_left_out_because_it_quotes_the_payload() {
    PayloadReader throwing =
        (payload, type) -> {
          throw new IllegalArgumentException("unrecognized token 'ada@example.org'");
        };
    assertThatThrownBy(() -> HandlerCall.read(throwing, String.class, message))
        .isInstanceOf(RejectedException.class)
        .hasMessageContaining("'Placed' could not be read as String: IllegalArgumentException")
        .hasMessageNotContaining("ada");
  }

  @Test
  void a_reader_that_fails_with_an_error_rejects_the_message_too() {
    PayloadReader nested =
        (payload, type) -> {
          throw new StackOverflowError();
        };
    assertThatThrownBy(() -> HandlerCall.read(nested, String.class, message))
        .isInstanceOf(RejectedException.class)
        .hasMessageContaining("StackOverflowError");
  }
}
