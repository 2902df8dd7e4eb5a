package io.posthorn.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.standardwebhooks.Webhook;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.MessageIds;
import io.posthorn.core.source.Received;
import io.posthorn.envelope.EnvelopeReader;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Which requests are accepted, and which messages result; signed with the specification's own
 * library.
 */
class WebhookReceiverTest {
  private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  private static final String OLD = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
  private static final String BODY = "{\"paid\":true}";
  private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
  private static final EnvelopeReader READER = EnvelopeReader.plain("Paid");

  private final Map<String, List<String>> headers = new HashMap<>();
  private ReceiverConfig.Builder config = ReceiverConfig.at("payments", READER).signedWith(SECRET);

  private void signed(String secret, String id, Instant at, String body) throws Exception {
    header("Webhook-Id", id);
    header("Webhook-Timestamp", Long.toString(at.getEpochSecond()));
    header("Webhook-Signature", new Webhook(secret).sign(id, at.getEpochSecond(), body));
  }

  private void header(String name, String value) {
    headers.put(name, List.of(value));
  }

  private Incoming receive(String body) {
    Clock clock = Clock.fixed(NOW, ZoneOffset.UTC);
    return new WebhookReceiver(config.build(), clock).receive(headers, body.getBytes(UTF_8));
  }

  private Received accepted(String body) {
    Incoming incoming = receive(body);
    assertThat(incoming).isInstanceOf(Incoming.Accepted.class);
    return ((Incoming.Accepted) incoming).received();
  }

  private void refused(int status, String code) {
    refused(BODY, status, code);
  }

  private void refused(String body, int status, String code) {
    Incoming incoming = receive(body);
    assertThat(incoming).isInstanceOf(Incoming.Refused.class);
    Incoming.Refused refused = (Incoming.Refused) incoming;
    assertThat(refused.status()).isEqualTo(status);
    assertThat(refused.code()).isEqualTo(code);
    assertThat(refused.text()).doesNotContain("whsec").isNotBlank();
  }

  @Test
  void a_signed_message_is_taken_with_the_id_of_the_webhook() throws Exception {
    signed(SECRET, "msg_1", NOW, BODY);
    header("traceparent", "t");
    header("Authorization", "Bearer secret");
    header("X-Tenant", "north");
    config.keepHeaders("x-tenant");
    Received received = accepted(BODY);
    assertThat(received.sender()).isEqualTo("payments");
    assertThat(received.message().id()).isEqualTo(MessageIds.of("payments", "msg_1"));
    assertThat(received.message().type()).isEqualTo("Paid");
    assertThat(received.message().payload()).isEqualTo(BODY.getBytes(UTF_8));
    assertThat(received.message().headers())
        .containsOnly(Map.entry("traceparent", "t"), Map.entry("x-tenant", "north"));
  }

  @Test
  void either_key_will_do_while_they_change_and_so_will_one_of_several_signatures()
      throws Exception {
    config = ReceiverConfig.at("payments", READER).signedWith(SECRET, OLD);
    signed(OLD, "msg_1", NOW, BODY);
    accepted(BODY);
    config = ReceiverConfig.at("payments", READER).signedWith(SECRET);
    refused(401, "NOT_GENUINE");
    header(
        "Webhook-Signature",
        "v2,x "
            + headers.get("Webhook-Signature").get(0)
            + " "
            + new Webhook(SECRET).sign("msg_1", NOW.getEpochSecond(), BODY));
    accepted(BODY);
  }

  @Test
  void what_is_not_genuine_is_refused() throws Exception {
    List<Consumer<Map<String, List<String>>>> changes =
        List.of(
            map -> map.remove("Webhook-Id"),
            map -> map.remove("Webhook-Timestamp"),
            map -> map.remove("Webhook-Signature"),
            map -> map.put("Webhook-Id", List.of("msg_2")),
            map -> map.put("Webhook-Timestamp", List.of("" + (NOW.getEpochSecond() + 1))),
            map -> map.put("Webhook-Timestamp", List.of("-1")),
            map -> map.put("Webhook-Timestamp", List.of("99999999999999999999")),
            map -> map.put("Webhook-Signature", List.of("v1,")),
            map -> map.put("Webhook-Signature", List.of("v1a," + "A".repeat(44))),
            map -> map.put("Webhook-Signature", List.of("v1,x ".repeat(100_000))));
    for (Consumer<Map<String, List<String>>> change : changes) {
      headers.clear();
      signed(SECRET, "msg_1", NOW, BODY);
      change.accept(headers);
      refused(401, "NOT_GENUINE");
    }
    signed(SECRET, "msg_1", NOW, BODY);
    refused(BODY + " ", 401, "NOT_GENUINE");
  }

  @Test
  void an_id_with_a_dot_cannot_pass_for_another() throws Exception {
    String digits = Long.toString(NOW.getEpochSecond());
    signed(SECRET, "a", NOW, digits + ".x");
    header("Webhook-Id", "a." + digits);
    refused("x", 401, "NOT_GENUINE");
  }

  @Test
  void what_was_signed_long_ago_or_in_the_future_is_refused() throws Exception {
    for (long seconds : new long[] {-301, 301}) {
      signed(SECRET, "msg_1", NOW.plusSeconds(seconds), BODY);
      refused(401, "NOT_GENUINE");
    }
    for (long seconds : new long[] {-300, 300}) {
      signed(SECRET, "msg_1", NOW.plusSeconds(seconds), BODY);
      accepted(BODY);
    }
    config.tolerance(Duration.ofMinutes(1));
    refused(401, "NOT_GENUINE");
  }

  @Test
  void what_is_too_large_encoded_or_of_another_type_is_refused() throws Exception {
    signed(SECRET, "msg_1", NOW, BODY);
    config.maxBytes(5);
    refused(413, "TOO_LARGE");
    config.maxBytes(100).contentTypes("application/json");
    header("content-type", "text/plain");
    refused(415, "CONTENT_TYPE");
    header("content-type", "Application/JSON; charset=utf-8");
    accepted(BODY);
    header("content-encoding", "gzip");
    refused(415, "CONTENT_TYPE");
  }

  @Test
  void headers_that_stand_there_twice_are_refused() throws Exception {
    signed(SECRET, "msg_1", NOW, BODY);
    headers.put("webhook-id", List.of("msg_1"));
    refused(400, "INVALID_REQUEST");
    headers.remove("webhook-id");
    headers.put("Ce-Type", List.of("A", "B"));
    refused(400, "INVALID_REQUEST");
  }

  @Test
  void what_is_not_signed_cannot_make_a_message_look_like_a_new_one() throws Exception {
    signed(SECRET, "msg_1", NOW, BODY);
    header("ce-specversion", "1.0");
    header("ce-type", "Paid");
    header("ce-id", "another");
    header("ce-source", "/another");
    Received received = accepted(BODY);
    assertThat(received.sender()).isEqualTo("payments");
    assertThat(received.message().id()).isEqualTo(MessageIds.of("payments", "msg_1"));
    assertThat(received.message().headers()).containsEntry("ce-source", "/another");
    header("ce-source", "/yet-another");
    header("ce-id", "yet-another");
    assertThat(accepted(BODY).message().id()).isEqualTo(received.message().id());
    assertThat(accepted(BODY).sender()).isEqualTo(received.sender());
  }

  @Test
  void a_structured_event_is_read_and_is_the_same_message_however_the_request_names_its_type()
      throws Exception {
    String event =
        "{\"specversion\":\"1.0\",\"id\":\"7\",\"source\":\"/shop\",\"type\":\"T\",\"data\":1}";
    signed(SECRET, "msg_1", NOW, event);
    header("content-type", "application/cloudevents+json");
    Received received = accepted(event);
    assertThat(received.message().type()).isEqualTo("T");
    assertThat(received.sender()).isEqualTo("payments");
    assertThat(received.message().id()).isEqualTo(MessageIds.of("payments", "msg_1"));
    assertThat(received.message().headers())
        .containsEntry("ce-source", "/shop")
        .containsEntry("ce-id", "7");
    header("content-type", "application/json");
    assertThat(accepted(event).sender()).isEqualTo(received.sender());
    assertThat(accepted(event).message().id()).isEqualTo(received.message().id());
    header("content-type", "application/cloudevents+json");
    signed(SECRET, "msg_1", NOW, "{}");
    refused("{}", 400, "INVALID_ENVELOPE");
  }

  @Test
  void a_receiver_without_keys_accepts_nothing_and_rejects_nothing_for_good() throws Exception {
    signed(SECRET, "msg_1", NOW, BODY);
    config = ReceiverConfig.at("payments", READER).signedWith(List::of);
    refused(503, "NO_KEYS");
    config =
        ReceiverConfig.at("payments", READER)
            .signedWith(
                () -> {
                  throw new IllegalStateException("whsec_leaked");
                });
    refused(503, "NO_KEYS");
  }

  @Test
  void an_unsigned_endpoint_needs_an_id_at_least() {
    config = ReceiverConfig.at("payments", READER).unsigned();
    refused(400, "INVALID_REQUEST");
    header("webhook-id", "1");
    assertThat(accepted(BODY).message().id()).isEqualTo(MessageIds.of("payments", "1"));
  }

  @Test
  void all_problems_of_a_configuration_are_reported_at_once() {
    assertThatThrownBy(
            () ->
                ReceiverConfig.at("", READER)
                    .signedWith("no key")
                    .tolerance(Duration.ofSeconds(-1))
                    .maxBytes(0)
                    .build())
        .isInstanceOf(PosthornException.class)
        .hasMessageContainingAll("name", "signedWith", "tolerance", "maxBytes");
    assertThatThrownBy(() -> ReceiverConfig.at("n", READER).build())
        .hasMessageContaining("either signedWith or unsigned");
  }
}
