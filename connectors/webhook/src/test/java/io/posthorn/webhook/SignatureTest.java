package io.posthorn.webhook;

import static io.posthorn.testkit.TestMessages.message;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Message;
import java.net.http.HttpHeaders;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Receivers verify signatures with the library of the Standard Webhooks authors. */
class SignatureTest {
  private static final String OLD = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  private static final String NEW = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDC2FVsBQIhrs=";

  private final Endpoint endpoint = new Endpoint();

  @AfterEach
  void close() {
    endpoint.close();
  }

  private static void verify(String secret, Endpoint.Request request)
      throws WebhookVerificationException {
    Map<String, List<String>> headers =
        request.headers().entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, entry -> List.of(entry.getValue())));
    new Webhook(secret)
        .verify(new String(request.body(), UTF_8), HttpHeaders.of(headers, (a, b) -> true));
  }

  @Test
  void the_receiver_can_verify_who_sent_a_message_and_that_it_is_whole() throws Exception {
    Message message = message("{\"name\":\"Žofie\"}");
    assertThat(Sent.once(Sent.to(endpoint.port()).signedWith(OLD), message))
        .isEqualTo(Outcome.SENT);
    Endpoint.Request request = endpoint.requests.peek();
    verify(OLD, request);
    assertThat(request.headers()).containsEntry("webhook-id", message.id().toString());
    Endpoint.Request forged =
        new Endpoint.Request("POST", "/", request.headers(), "{}".getBytes(UTF_8));
    assertThatThrownBy(() -> verify(OLD, forged)).isInstanceOf(WebhookVerificationException.class);
    assertThatThrownBy(() -> verify(NEW, request)).isInstanceOf(WebhookVerificationException.class);
  }

  @Test
  void while_a_key_is_changed_both_verify_and_no_restart_is_needed() throws Exception {
    AtomicReference<List<SigningKey>> keys =
        new AtomicReference<>(List.of(SigningKey.of(NEW), SigningKey.of(OLD)));
    try (WebhookConnector connector =
        new WebhookConnector(Sent.to(endpoint.port()).signedWith(keys::get).build())) {
      Sent.once(connector, message("both"));
      Endpoint.Request both = endpoint.requests.poll();
      verify(OLD, both);
      verify(NEW, both);
      keys.set(List.of(SigningKey.of(NEW)));
      Sent.once(connector, message("new"));
      Endpoint.Request only = endpoint.requests.poll();
      verify(NEW, only);
      assertThatThrownBy(() -> verify(OLD, only)).isInstanceOf(WebhookVerificationException.class);
    }
  }

  @Test
  void the_example_of_the_specification_has_the_same_signature() {
    assertThat(
            SigningKey.of(OLD)
                .sign(
                    "msg_p5jXN8AQM9LWM0D4loKWxJek",
                    1614265330,
                    "{\"test\": 2432232314}".getBytes(UTF_8)))
        .isEqualTo("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  }

  @Test
  void an_invalid_secret_is_refused_and_never_shown() {
    for (String secret : List.of("plain", "whsec_", "whsec_c2hvcnQ=", "whsec_!!!")) {
      assertThatThrownBy(() -> SigningKey.of(secret))
          .isInstanceOf(PosthornException.class)
          .hasMessageContaining("24 to 64 bytes")
          .hasMessageNotContaining("c2hvcnQ");
    }
    assertThat(SigningKey.of(OLD).toString()).doesNotContain("MfKQ");
  }
}
