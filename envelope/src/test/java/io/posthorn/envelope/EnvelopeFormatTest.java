package io.posthorn.envelope;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.posthorn.core.connector.RejectedException;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Message;
import java.io.IOException;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class EnvelopeFormatTest {
  private static final UUID ID = UUID.fromString("01890a5d-ac96-774b-bcce-b302099a8057");
  private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

  private static Message.Builder order() {
    return Message.of("OrderPlaced")
        .id(ID)
        .key("Order", "Ä 1")
        .schemaVersion(2)
        .occurredAt(Instant.parse("2026-01-02T03:04:05.678Z"))
        .json("{\"total\":1}".getBytes(UTF_8))
        .correlationId("c")
        .header("traceparent", TRACE)
        .header("x-tenant", "north");
  }

  @Test
  void a_binary_cloud_event_is_the_payload_with_attributes_as_headers() {
    Message message = order().build().withSequence(42);
    Envelope envelope = EnvelopeFormat.cloudEvents("/shop").envelop(message, Transport.KAFKA);
    assertThat(envelope.body()).isSameAs(message.payload());
    assertThat(envelope.contentType()).isEqualTo("application/json");
    assertThat(envelope.headers())
        .containsEntry("ce_specversion", "1.0")
        .containsEntry("ce_id", ID.toString())
        .containsEntry("ce_source", "/shop")
        .containsEntry("ce_type", "OrderPlaced")
        .containsEntry("ce_time", "2026-01-02T03:04:05.678Z")
        .containsEntry("ce_subject", "Ä 1")
        .containsEntry("ce_partitionkey", "Ä 1")
        .containsEntry("ce_aggregatetype", "Order")
        .containsEntry("ce_schemaversion", "2")
        .containsEntry("ce_sequence", "0000000000000000042")
        .containsEntry("ce_correlationid", "c")
        .containsEntry("ce_traceparent", TRACE)
        .containsEntry("traceparent", TRACE)
        .containsEntry("x-tenant", "north")
        .doesNotContainKeys("ce_causationid", "ce_tracestate", "ce_datacontenttype");
  }

  @Test
  void http_headers_are_printable_ascii() {
    Message message = order().header("x-name", "Žofie\r\nx: y").header("x-plain", "100 %").build();
    assertThat(EnvelopeFormat.cloudEvents("/shop").envelop(message, Transport.HTTP).headers())
        .containsEntry("ce-subject", "%C3%84%201")
        .containsEntry("x-name", "%C5%BDofie%0D%0Ax:%20y")
        .containsEntry("x-plain", "100 %");
  }

  @Test
  void the_place_in_the_log_is_ordered_as_text() {
    EnvelopeFormat format = EnvelopeFormat.cloudEvents("/shop");
    String before = sequence(format, 9_999);
    assertThat(before).isLessThan(sequence(format, 10_000));
    assertThat(sequence(format, Long.MAX_VALUE)).hasSameSizeAs(before);
  }

  private static String sequence(EnvelopeFormat format, long place) {
    Message message = order().build().withSequence(place);
    return format.envelop(message, Transport.KAFKA).headers().get("ce_sequence");
  }

  @Test
  void a_structured_cloud_event_is_one_document() throws IOException {
    JsonNode document = structured(order().header("correlation-id", "say \"hi\"\n\\").build());
    assertThat(document.get("specversion").asText()).isEqualTo("1.0");
    assertThat(document.get("datacontenttype").asText()).isEqualTo("application/json");
    assertThat(document.get("correlationid").asText()).isEqualTo("say \"hi\"\n\\");
    assertThat(document.get("data").get("total").asInt()).isEqualTo(1);
  }

  @Test
  void what_is_no_json_stands_in_a_document_as_base64_and_forges_nothing() throws IOException {
    Message forging = order().json("1,\"type\":\"Forged\"".getBytes(UTF_8)).build();
    JsonNode document = structured(forging);
    assertThat(document.get("type").asText()).isEqualTo("OrderPlaced");
    assertThat(document.get("data_base64").binaryValue()).isEqualTo(forging.payload());
    byte[] bytes = {0, -1, 7};
    Message binary = order().payload(bytes, "application/octet-stream").build();
    assertThat(structured(binary).get("data_base64").binaryValue()).isEqualTo(bytes);
    Message empty = order().payload(new byte[0], "text/plain").build();
    assertThat(structured(empty).has("data")).isFalse();
  }

  private static JsonNode structured(Message message) throws IOException {
    Envelope envelope =
        EnvelopeFormat.structuredCloudEvents("/shop").envelop(message, Transport.AMQP);
    assertThat(envelope.contentType()).isEqualTo("application/cloudevents+json; charset=utf-8");
    assertThat(envelope.headers()).containsEntry("x-tenant", "north");
    return new ObjectMapper().readTree(envelope.body());
  }

  @Test
  void plain_is_the_payload_and_the_headers_as_they_are() {
    Message message = order().build();
    Envelope envelope = EnvelopeFormat.PLAIN.envelop(message, Transport.KAFKA);
    assertThat(envelope.headers()).isEqualTo(message.headers());
    assertThat(envelope.body()).isSameAs(message.payload());
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void a_header_cannot_pass_for_an_attribute(Transport transport) {
    for (String name : new String[] {transport.prefix() + "id", "Content-Type"}) {
      Message forging = order().header(name, "x").build();
      assertThatThrownBy(() -> EnvelopeFormat.cloudEvents("/s").envelop(forging, transport))
          .isInstanceOf(RejectedException.class)
          .hasMessageContaining(name);
    }
  }

  @Test
  void a_header_cannot_pass_for_an_attribute_in_the_other_spelling_that_readers_know() {
    Message forging = order().header("cloudEvents:id", "x").build();
    assertThatThrownBy(() -> EnvelopeFormat.cloudEvents("/s").envelop(forging, Transport.AMQP))
        .isInstanceOf(RejectedException.class);
  }

  @Test
  void a_source_that_is_no_uri_is_refused() {
    assertThatThrownBy(() -> EnvelopeFormat.cloudEvents("")).isInstanceOf(PosthornException.class);
    assertThatThrownBy(() -> EnvelopeFormat.cloudEvents("my shop"))
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining("my shop");
  }
}
