package io.posthorn.envelope;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageIds;
import io.posthorn.core.source.Received;
import io.posthorn.core.source.Unreadable;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reading messages that other systems wrote. */
class EnvelopeReaderTest {
  private static final byte[] BODY = "{\"a\":1}".getBytes(UTF_8);
  private static final Instant TIME = Instant.parse("2026-01-02T03:04:05Z");
  private static final Map<String, String> LEAST =
      Map.of("ce_specversion", "1.0", "ce_id", "a1", "ce_source", "/others", "ce_type", "T");

  private static Arrival at(Map<String, String> headers, byte[] body) {
    Arrival arrival = Arrival.at(Transport.KAFKA, "orders", body).place("3/42").time(TIME);
    headers.forEach((name, value) -> arrival.header(name, value.getBytes(UTF_8)));
    return arrival;
  }

  private static Received read(Arrival arrival) {
    return EnvelopeReader.cloudEvents().read(arrival, false, null);
  }

  private static Received structured(String json) {
    return structured(json.getBytes(UTF_8));
  }

  private static Received structured(byte[] json) {
    return read(at(Map.of("content-type", "Application/CloudEvents+JSON"), json));
  }

  /** Checks that the message is in the form that the tables keep, with its original body. */
  private static Reason assertUnreadable(Received received, byte[] body) {
    Message message = received.message();
    assertThat(message.type()).isEqualTo(Unreadable.TYPE);
    assertThat(message.payload()).isEqualTo(body);
    assertThat(message.key()).isNull();
    assertThat(message.id()).isEqualTo(MessageIds.of("orders", "3/42"));
    assertThat(received.sender()).isEqualTo("orders");
    assertStorable(received);
    return Unreadable.reason(message).orElseThrow();
  }

  private static void assertStorable(Received received) {
    Message message = received.message();
    Stream.concat(
            Stream.of(received.sender(), message.type(), message.contentType()),
            message.headers().entrySet().stream()
                .flatMap(entry -> Stream.of(entry.getKey(), entry.getValue())))
        .forEach(
            text -> {
              assertThat(Texts.isText(text)).isTrue();
              assertThat(text.length()).isLessThanOrEqualTo(4_096);
            });
    assertThat(message.headers().size()).isLessThanOrEqualTo(2 * 64 + 4);
    assertThat(message.occurredAt())
        .isBetween(Instant.parse("0001-01-01T00:00:00Z"), Instant.parse("9999-01-01T00:00:00Z"));
  }

  @Test
  void an_event_of_others_with_the_least_there_must_be_is_read() {
    Received received = read(at(LEAST, BODY).key("k".getBytes(UTF_8)));
    Message message = received.message();
    assertThat(received.sender()).isEqualTo("/others");
    assertThat(message.id()).isEqualTo(MessageIds.of("/others", "a1"));
    assertThat(message.headers()).containsEntry("ce-id", "a1");
    assertThat(message.key()).isEqualTo(Key.of("key", "k"));
    assertThat(message.occurredAt()).isEqualTo(TIME);
    assertThat(message.sequence()).isZero();
    assertThat(message.schemaVersion()).isEqualTo(1);
    assertThat(message.contentType()).isEqualTo("application/octet-stream");
  }

  @Test
  void attributes_that_a_message_has_no_place_for_become_headers() {
    Arrival arrival = at(LEAST, BODY).header("ce_dataschema", "/s").header("ce_subject", "s");
    arrival.header("ce_partitionkey", "p").header("ce_sequence", "x9").header("ce_time", "soon");
    Message message = read(arrival).message();
    assertThat(message.key()).isEqualTo(Key.of("key", "p"));
    assertThat(message.occurredAt()).isEqualTo(TIME);
    assertThat(message.headers())
        .containsEntry("ce-dataschema", "/s")
        .containsEntry("ce-subject", "s")
        .containsEntry("ce-sequence", "x9")
        .containsEntry("ce-time", "soon");
  }

  @Test
  void keys_and_senders_longer_than_ours_may_be_still_differ() {
    String longest = "x".repeat(5_000);
    Received one = read(at(LEAST, BODY).header("ce_subject", longest + 1));
    Received two = read(at(LEAST, BODY).header("ce_subject", longest + 2));
    assertThat(one.message().key()).isNotEqualTo(two.message().key());
    assertThat(one.message().key().id()).hasSize(255);
  }

  @Test
  void both_spellings_of_amqp_are_read() {
    for (String prefix : List.of("cloudEvents_", "cloudEvents:")) {
      Arrival arrival = Arrival.at(Transport.AMQP, "queue", BODY);
      LEAST.forEach((name, value) -> arrival.header(prefix + name.substring(3), value));
      assertThat(read(arrival).message().type()).isEqualTo("T");
    }
  }

  @Test
  void http_values_may_be_quoted_and_names_in_any_case() {
    Arrival arrival = Arrival.at(Transport.HTTP, "/hooks", BODY);
    LEAST.forEach((name, value) -> arrival.header("CE-" + name.substring(3), '"' + value + '"'));
    assertThat(read(arrival.header("Ce-Subject", "\"a \\\" %C3%84\"")).message().key())
        .isEqualTo(Key.of("key", "a \" Ä"));
  }

  @Test
  void a_document_of_others_is_read() {
    Received received =
        structured(
            """
            {"specversion" : "1.0", "type":"T\\u0041", "id" : "a1", "source":"/o", "n": 7, "b":true,
             "time":"2020-01-01T01:00:00+01:00", "nothing": null,
             "datacontenttype" : "text/xml", "data" : "<a>\\n</a>" }""");
    Message message = received.message();
    assertThat(message.type()).isEqualTo("TA");
    assertThat(message.payload()).isEqualTo("<a>\n</a>".getBytes(UTF_8));
    assertThat(message.occurredAt()).isEqualTo(Instant.parse("2020-01-01T00:00:00Z"));
    assertThat(message.headers()).containsEntry("ce-n", "7").containsEntry("ce-b", "true");
    assertThat(message.headers()).doesNotContainKey("ce-nothing");
  }

  @Test
  void plain_messages_have_the_type_that_is_expected_of_them() {
    Received fixed =
        EnvelopeReader.plain("Heard").read(at(Map.of("a", "b"), BODY).key(new byte[] {1}), true, 7);
    assertThat(fixed.message().type()).isEqualTo("Heard");
    assertThat(fixed.message().id()).isEqualTo(MessageIds.of("orders", "3/42"));
    assertThat(fixed.message().headers()).containsEntry("a", "b");
    assertThat(fixed.sender()).isEqualTo("orders");
    assertThat(fixed.redelivered()).isTrue();
    assertThat(fixed.place()).isEqualTo(7);
    EnvelopeReader named = EnvelopeReader.plainByHeader("event-type").idFrom("event-id");
    Map<String, String> headers = Map.of("event-type", "Named", "event-id", "9");
    Message message = named.read(at(headers, BODY), false, null).message();
    assertThat(message.type()).isEqualTo("Named");
    assertThat(message.id()).isEqualTo(MessageIds.of("orders", "9"));
    assertThat(named.read(at(LEAST, BODY), false, null).message().type()).isEqualTo("T");
    assertUnreadable(named.read(at(Map.of(), BODY), false, null), BODY);
  }

  @Test
  void a_header_that_is_no_text_is_kept_as_base64() {
    Message message = read(at(LEAST, BODY).header("b3", new byte[] {-1, 0})).message();
    assertThat(message.headers()).containsEntry("b3-base64", "/wA=");
  }

  @Test
  void a_header_bomb_is_defused_and_the_message_read() {
    Arrival arrival = at(LEAST, BODY);
    for (int i = 0; i < 10_000; i++) {
      arrival.header("h" + i, "v".repeat(i));
    }
    arrival.header("n".repeat(1_000_000), "v").header("zero", "\0 \ud800");
    arrival.header("posthorn-sender", "/somebody-else");
    Received received = read(arrival);
    assertThat(received.message().type()).isEqualTo("T");
    assertThat(received.message().headers())
        .containsKey(Arrival.HEADERS_LEFT_OUT)
        .doesNotContainKey("posthorn-sender");
    assertStorable(received);
  }

  static Stream<Arrival> broken() {
    String big = "x".repeat(100_000);
    return Stream.of(
        at(Map.of(), BODY),
        at(Map.of("ce_id", "1"), BODY),
        at(Map.of("ce_specversion", "0.3", "ce_id", "a", "ce_source", "s", "ce_type", "t"), BODY),
        at(LEAST, BODY).header("ce_type", "Other"),
        at(LEAST, BODY).header("ce_type", new byte[] {-1}),
        at(LEAST, BODY).header("ce_x", new byte[] {-1}),
        at(Map.of("ce_specversion", "1.0", "ce_id", "\0", "ce_source", "s", "ce_type", "t"), BODY),
        at(Map.of("ce_specversion", "1.0", "ce_id", "a", "ce_source", "s", "ce_type", big), BODY),
        at(Map.of("ce_specversion", "1.0", "ce_id", "a", "ce_source", "s", "ce_type", ""), BODY),
        at(LEAST, BODY).header("ce_subject", "a\0b"),
        at(LEAST, BODY).header("ce_aggregatetype", big).header("ce_subject", "s"),
        at(LEAST, BODY).header("content-type", "text/" + big),
        at(Map.of("content-type", "application/cloudevents-batch+json"), BODY),
        at(Map.of("content-type", "application/cloudevents+avro"), BODY));
  }

  @ParameterizedTest
  @MethodSource("broken")
  void what_is_broken_is_received_as_unreadable_and_says_why(Arrival arrival) {
    assertThat(assertUnreadable(read(arrival), BODY).code()).isEqualTo("INVALID_ENVELOPE");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "7",
        "{",
        "{}",
        "{\"specversion\":\"1.0\",\"id\":\"a\",\"source\":\"s\",\"type\":\"t\",\"type\":\"u\"}",
        "{\"specversion\":\"1.0\",\"id\":\"a\",\"source\":\"s\",\"type\":{}}",
        "{\"specversion\":\"1.0\",\"id\":\"a\",\"source\":\"s\",\"type\":\"\\ud800\"}",
        "{\"specversion\":\"1.0\",\"id\":\"a\",\"source\":\"s\",\"type\":\"t\\u0000\"}",
        "{\"specversion\":\"1.0\",\"id\":\"a\",\"source\":\"s\",\"type\":\"t\",\"data_base64\":\"*\"}",
        "{\"specversion\":\"1.0\",\"id\":\"a\",\"source\":\"s\",\"type\":\"t\",\"data\":1,\"data_base64\":\"\"}",
        "{\"specversion\":\"1.0\",\"id\":\"a\",\"source\":\"s\",\"type\":\"t\"} {}"
      })
  void a_broken_document_is_received_as_unreadable(String json) {
    assertUnreadable(structured(json), json.getBytes(UTF_8));
  }

  @Test
  void wrong_percent_encoding_is_received_as_unreadable() {
    for (String wrong : List.of("%", "%4", "%GG", "%FF", "%C3")) {
      Arrival arrival = Arrival.at(Transport.HTTP, "orders", BODY).place("3/42");
      LEAST.forEach((name, value) -> arrival.header("ce-" + name.substring(3), value));
      assertUnreadable(read(arrival.header("ce-subject", wrong)), BODY);
    }
  }

  @Test
  void noise_never_throws_and_is_always_storable() {
    Random random = new Random(4);
    byte[] good =
        new String(
                "{\"specversion\":\"1.0\",\"id\":\"a\",\"source\":\"s\",\"type\":\"t\",\"data\":[1,\"\\u00e9\"]}")
            .getBytes(UTF_8);
    for (int i = 0; i < 50_000; i++) {
      byte[] body = good.clone();
      for (int change = random.nextInt(4); change > 0; change--) {
        body[random.nextInt(body.length)] = (byte) random.nextInt();
      }
      assertStorable(structured(body));
      byte[] noise = new byte[random.nextInt(20)];
      random.nextBytes(noise);
      assertStorable(read(at(LEAST, body).header("ce_subject", noise).key(noise)));
      assertStorable(
          EnvelopeReader.plainByHeader("t")
              .read(at(Map.of(), body).header("t", noise), false, null));
    }
  }

  @Test
  void a_huge_document_is_read_in_time() {
    byte[] deep = "[".repeat(5_000_000).getBytes(UTF_8);
    long start = System.nanoTime();
    assertUnreadable(structured(deep), deep);
    String big =
        "{\"specversion\":\"1.0\",\"id\":\"a\",\"source\":\"s\",\"type\":\"t\",\"data\":\"%s\"}"
            .formatted("x".repeat(20_000_000));
    assertThat(structured(big).message().payload()).hasSize(20_000_002);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
  }
}
