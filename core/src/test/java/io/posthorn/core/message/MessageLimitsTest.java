package io.posthorn.core.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class MessageLimitsTest {
  record OrderPlaced(String id) {}

  @Test
  void what_fits_is_accepted() {
    Message message =
        Message.of("OrderPlaced")
            .key("order", "42 ü 😀")
            .json("{}".getBytes(java.nio.charset.StandardCharsets.UTF_8))
            .header("a", "b")
            .build();
    assertThatCode(() -> Limits.DEFAULT.check(message)).doesNotThrowAnyException();
    assertThat(message.id().version()).isEqualTo(7);
  }

  @Test
  void what_is_too_large_or_too_long_is_refused_with_its_size_and_the_limit() {
    refused(
        ErrorCode.PAYLOAD_TOO_LARGE, Message.of("T").payload(new byte[(1 << 20) + 1], "x").build());
    refused(ErrorCode.TOO_LONG, Message.of("T").key("k", "x".repeat(256)).build());
    refused(ErrorCode.TOO_LONG, Message.of("T").header("h", "x".repeat(4_097)).build());
    refused(ErrorCode.TOO_LONG, Message.of("T").correlationId("x".repeat(256)).build());
    refused(ErrorCode.TOO_LONG, Message.of("T").header("h".repeat(101), "x").build());
    Message.Builder many = Message.of("T");
    for (int i = 0; i < 65; i++) {
      many.header("h" + i, "x");
    }
    refused(ErrorCode.TOO_LONG, many.build());
  }

  @Test
  void headers_together_have_65_536_bytes_and_no_more() {
    Message.Builder full = Message.of("T");
    for (int i = 0; i < 16; i++) {
      full.header("%02d".formatted(i), "é".repeat(2_047));
    }
    assertThatCode(() -> Limits.DEFAULT.check(full.build())).doesNotThrowAnyException();
    refused(ErrorCode.TOO_LONG, full.header("x", "").build());
  }

  @Test
  void the_size_of_a_message_is_that_of_its_payload_and_its_headers() {
    assertThat(Message.of("T").json(new byte[10]).header("ab", "cde").build().bytes())
        .isEqualTo(15);
  }

  @Test
  void times_are_of_the_years_1_to_9999() {
    for (Instant good : List.of(Limits.EARLIEST, Limits.LATEST)) {
      Message message = Message.of("T").occurredAt(good).notBefore(good).build();
      assertThatCode(() -> Limits.DEFAULT.check(message)).doesNotThrowAnyException();
    }
    for (Instant bad :
        List.of(
            Limits.EARLIEST.minusNanos(1), Limits.LATEST.plusNanos(1), Instant.MIN, Instant.MAX)) {
      refused(ErrorCode.INVALID_MESSAGE, Message.of("T").occurredAt(bad).build());
      refused(ErrorCode.INVALID_MESSAGE, Message.of("T").notBefore(bad).build());
    }
  }

  @Test
  void no_limit_lets_a_payload_in_that_relays_cannot_hold() {
    assertThat(new Limits(Limits.MOST_PAYLOAD_BYTES).payloadBytes()).isEqualTo(32 << 20);
    for (int bad : new int[] {-1, Limits.MOST_PAYLOAD_BYTES + 1}) {
      assertThatThrownBy(() -> new Limits(bad))
          .isInstanceOf(PosthornException.class)
          .hasMessageContaining("33,554,432");
    }
  }

  @Test
  void the_name_of_a_cipher_s_key_is_not_endless() {
    Message message = Message.of("T").build();
    Limits.DEFAULT.checkCipherKey(message, null);
    Limits.DEFAULT.checkCipherKey(message, "k".repeat(200));
    assertThatThrownBy(() -> Limits.DEFAULT.checkCipherKey(message, "k".repeat(201)))
        .isInstanceOf(PosthornException.class);
  }

  @Test
  void what_the_database_could_not_store_is_refused() {
    refused(ErrorCode.INVALID_MESSAGE, Message.of("T").key("k", "a\u0000b").build());
    refused(ErrorCode.INVALID_MESSAGE, Message.of("T").key("k", "\uD800").build());
    refused(ErrorCode.INVALID_MESSAGE, Message.of("T").header("h", "\uDC00x").build());
  }

  @Test
  void a_type_is_a_logical_name() {
    for (String bad : new String[] {"", "1a", "a b", "a'b", "x".repeat(201)}) {
      refused(ErrorCode.INVALID_MESSAGE, Message.of(bad).build());
    }
  }

  @Test
  void only_registered_types_are_accepted_and_their_checks_must_agree() {
    MessageTypes types =
        MessageTypes.of(
            MessageType.named("OrderPlaced")
                .from(OrderPlaced.class)
                .schemaVersion(3)
                .check(m -> m.key() == null ? Optional.of("it has no key") : Optional.empty()));
    assertThatThrownBy(() -> types.check(Message.of("Other").build()))
        .hasMessageContaining("POSTHORN-001")
        .hasMessageContaining("OrderPlaced");
    assertThatThrownBy(() -> types.check(Message.of("OrderPlaced").build()))
        .hasMessageContaining("POSTHORN-007")
        .hasMessageContaining("it has no key");
    assertThatThrownBy(
            () ->
                types.message(
                    new OrderPlaced("1"),
                    event -> {
                      throw new IllegalStateException("no bytes");
                    }))
        .hasMessageContaining("POSTHORN-048")
        .hasRootCauseMessage("no bytes");
    Message made =
        types.message(new OrderPlaced("1"), event -> new byte[] {1}).key("order", "1").build();
    assertThatCode(() -> types.check(made)).doesNotThrowAnyException();
    assertThat(made.type()).isEqualTo("OrderPlaced");
    assertThat(made.schemaVersion()).isEqualTo(3);
    assertThatThrownBy(() -> types.message("a string", event -> new byte[0]))
        .hasMessageContaining("POSTHORN-001");
  }

  @Test
  void an_id_of_the_caller_is_marked_as_given() {
    UUID id = UUID.randomUUID();
    assertThat(Message.of("T").id(id).build().idGiven()).isTrue();
    assertThat(Message.of("T").build().idGiven()).isFalse();
  }

  private static void refused(ErrorCode code, Message message) {
    assertThatThrownBy(() -> Limits.DEFAULT.check(message))
        .isInstanceOfSatisfying(PosthornException.class, e -> assertThat(e.code()).isEqualTo(code));
  }
}
