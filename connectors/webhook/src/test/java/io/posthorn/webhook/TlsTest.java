package io.posthorn.webhook;

import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Outcome;
import java.nio.file.Path;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsTest {
  @TempDir static Path directory;

  private static Certificate server;
  private static Certificate other;
  private static Certificate client;

  @BeforeAll
  static void makeCertificates() throws Exception {
    server = Certificate.of(directory, "localhost");
    other = Certificate.of(directory, "other.example");
    client = Certificate.of(directory, "client");
  }

  private static String send(Endpoint endpoint, SSLContext context) {
    try (endpoint) {
      WebhookConfig.Builder config = Sent.to("https://localhost:" + endpoint.port() + "/hooks");
      if (context != null) {
        config.tls(context);
      }
      Outcome outcome = Sent.once(config, message("m"));
      assertThat(endpoint.requests).hasSize(outcome.equals(Outcome.SENT) ? 1 : 0);
      return Sent.text(outcome);
    }
  }

  private static Endpoint endpoint(Certificate shown, Certificate wanted) throws Exception {
    return new Endpoint(Certificate.context(shown, wanted), wanted != null);
  }

  @Test
  void a_receiver_that_is_trusted_gets_messages() throws Exception {
    assertThat(send(endpoint(server, null), Certificate.context(null, server))).isEqualTo("Sent");
  }

  @Test
  void a_receiver_that_nobody_vouches_for_gets_nothing() throws Exception {
    assertThat(send(endpoint(server, null), null)).isEqualTo("Unavailable TLS_FAILED");
  }

  @Test
  void a_trusted_certificate_of_another_host_gets_nothing() throws Exception {
    assertThat(send(endpoint(other, null), Certificate.context(null, other)))
        .isEqualTo("Unavailable TLS_FAILED");
  }

  @Test
  void the_client_s_certificate_is_shown_where_it_is_wanted() throws Exception {
    assertThat(send(endpoint(server, client), Certificate.context(client, server)))
        .isEqualTo("Sent");
    assertThat(send(endpoint(server, client), Certificate.context(null, server)))
        .isNotEqualTo("Sent");
  }
}
