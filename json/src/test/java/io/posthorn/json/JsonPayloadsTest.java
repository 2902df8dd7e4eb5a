package io.posthorn.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.message.PayloadMapper;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

class JsonPayloadsTest {
  record Line(String article, int pieces) {}

  record Placed(String order, Instant at, BigDecimal total, List<Line> lines) {}

  private final JsonPayloads payloads = new JsonPayloads();

  private final Placed placed =
      new Placed(
          "o-1",
          Instant.parse("2026-11-19T08:30:00.123456Z"),
          new BigDecimal("12.90"),
          List.of(new Line("tea", 2)));

  @Test
  void a_record_is_read_as_it_was_written() {
    assertThat(payloads.read(payloads.write(placed), Placed.class)).isEqualTo(placed);
  }

  @Test
  void times_are_iso_8601_texts_and_numbers_keep_their_digits() {
    assertThat(new String(payloads.write(placed), UTF_8))
        .contains("\"at\":\"2026-11-19T08:30:00.123456Z\"", "\"total\":12.90");
  }

  @Test
  void a_property_that_the_class_does_not_have_is_ignored() {
    assertThat(
            payloads.read(
                "{\"article\":\"tea\",\"pieces\":2,\"gift\":true}".getBytes(UTF_8), Line.class))
        .isEqualTo(new Line("tea", 2));
  }

  /** Else an old message would count as one with a zero. */
  @Test
  void a_number_that_is_missing_is_an_error() {
    assertThatThrownBy(() -> payloads.read("{\"article\":\"tea\"}".getBytes(UTF_8), Line.class))
        .hasMessageContaining("int");
  }

  @Test
  void what_is_not_json_is_an_error() {
    assertThatThrownBy(() -> payloads.read("{".getBytes(UTF_8), Line.class)).isNotNull();
  }

  /** Names of classes in a payload would let a sender choose what is created here. */
  @Test
  void a_payload_never_names_a_class() {
    assertThat(
            payloads.read(
                "{\"@class\":\"java.lang.Thread\",\"article\":\"tea\",\"pieces\":2}"
                    .getBytes(UTF_8),
                Line.class))
        .isEqualTo(new Line("tea", 2));
  }

  @Test
  void programs_find_it_as_a_service() {
    assertThat(ServiceLoader.load(PayloadMapper.class))
        .singleElement()
        .isInstanceOf(JsonPayloads.class);
  }
}
