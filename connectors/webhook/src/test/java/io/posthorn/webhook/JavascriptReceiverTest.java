package io.posthorn.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.message.Message;
import io.posthorn.envelope.EnvelopeFormat;
import io.posthorn.testservers.NodeScript;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A receiver in JavaScript reads webhooks with the packages cloudevents and standardwebhooks. */
class JavascriptReceiverTest {
  private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  private static final String OTHER = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDC2FVsBQIhrs=";
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final ObjectMapper JSON = new ObjectMapper();

  private static NodeScript receiver;
  private static int port;

  @BeforeAll
  static void start() throws IOException {
    receiver =
        NodeScript.start(Path.of("src/test/node"), Path.of("target/node"), "receiver.js", SECRET);
    port = seen().get("port").asInt();
  }

  @AfterAll
  static void stop() {
    receiver.close();
  }

  private static JsonNode seen() throws IOException {
    return JSON.readTree(receiver.line(PATIENCE));
  }

  private static Message.Builder order() {
    return Message.of("OrderPlaced")
        .key("Order", "o-55 Ž")
        .schemaVersion(2)
        .occurredAt(Instant.parse("2026-01-02T03:04:05.678Z"))
        .correlationId("c-1")
        .header("x-tenant", "north");
  }

  private static Outcome send(Message message, EnvelopeFormat format, String secret) {
    return Sent.once(
        WebhookConfig.to("http://localhost:" + port + "/hooks", format)
            .plainHttp()
            .allowNetworks("127.0.0.0/8", "::1")
            .signedWith(secret),
        message);
  }

  private static JsonNode received(Message message, EnvelopeFormat format) throws IOException {
    assertThat(send(message, format, SECRET)).isEqualTo(Outcome.SENT);
    JsonNode seen = seen();
    assertThat(seen.has("error")).as(seen.toString()).isFalse();
    assertThat(seen.get("valid").asBoolean()).as(seen.toString()).isTrue();
    JsonNode event = seen.get("event");
    assertThat(event.get("specversion").asText()).isEqualTo("1.0");
    assertThat(event.get("id").asText()).isEqualTo(message.id().toString());
    assertThat(event.get("source").asText()).isEqualTo("/shop");
    assertThat(event.get("type").asText()).isEqualTo("OrderPlaced");
    assertThat(event.get("time").asText()).isEqualTo("2026-01-02T03:04:05.678Z");
    assertThat(event.get("correlationid").asText()).isEqualTo("c-1");
    assertThat(event.get("schemaversion").asText()).isEqualTo("2");
    assertThat(event.get("datacontenttype").asText()).isEqualTo(message.contentType());
    return event;
  }

  @Test
  void a_binary_event_is_verified_and_read() throws IOException {
    Message message = order().json("{\"name\":\"Žofie\",\"total\":1.5}".getBytes(UTF_8)).build();
    JsonNode event = received(message, EnvelopeFormat.cloudEvents("/shop"));
    assertThat(event.get("data").get("name").asText()).isEqualTo("Žofie");
    assertThat(event.get("data").get("total").asDouble()).isEqualTo(1.5);
  }

  @Test
  void a_structured_event_is_verified_and_read() throws IOException {
    Message message = order().json("{\"name\":\"Žofie\",\"total\":1.5}".getBytes(UTF_8)).build();
    JsonNode event = received(message, EnvelopeFormat.structuredCloudEvents("/shop"));
    assertThat(event.get("subject").asText()).isEqualTo("o-55 Ž");
    assertThat(event.get("data").get("name").asText()).isEqualTo("Žofie");
  }

  @Test
  void bytes_in_a_structured_event_arrive_unchanged() throws IOException {
    byte[] bytes = {0, 1, (byte) 0xFF, (byte) 0xFE};
    Message message = order().payload(bytes, "application/octet-stream").build();
    JsonNode event = received(message, EnvelopeFormat.structuredCloudEvents("/shop"));
    assertThat(event.get("data_base64").binaryValue()).isEqualTo(bytes);
  }

  @Test
  void a_webhook_with_another_signature_is_refused() throws IOException {
    Message message = order().json("{}".getBytes(UTF_8)).build();
    assertThat(Sent.text(send(message, EnvelopeFormat.cloudEvents("/shop"), OTHER)))
        .isEqualTo("Rejected HTTP_422");
    assertThat(seen().get("error").asText()).contains("WebhookVerificationError");
  }
}
