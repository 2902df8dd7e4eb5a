package io.posthorn.rabbitmq;

import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.envelope.EnvelopeFormat;
import java.nio.file.Path;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsTest {
  private final Broker broker = Broker.shared();
  private final RabbitMqFixture rabbit = new RabbitMqFixture();

  @AfterEach
  void close() {
    rabbit.close();
  }

  private String send(String host, SSLContext context) {
    RabbitMqConfig config =
        RabbitMqConfig.to(host + ":" + broker.tlsPort, EnvelopeFormat.cloudEvents("/tests"))
            .tls(context)
            .credentials(() -> rabbit.credentials)
            .routingKey(rabbit.topology.queue)
            .build();
    try (RabbitMqConnector connector = new RabbitMqConnector(config)) {
      return Sent.once(connector, message("m"));
    }
  }

  @Test
  void a_broker_that_is_trusted_gets_messages_from_a_client_that_is() throws Exception {
    assertThat(send("localhost", Certificate.context(broker.trustedClient, broker.certificate)))
        .isEqualTo("Sent");
    assertThat(rabbit.arrived()).hasSize(1);
  }

  @Test
  void a_broker_that_nobody_vouches_for_gets_nothing(@TempDir Path directory) throws Exception {
    Certificate other = Certificate.of(directory, "localhost");
    assertThat(send("localhost", Certificate.context(broker.trustedClient, other)))
        .isEqualTo("Unavailable TLS_FAILED");
  }

  @Test
  void a_trusted_certificate_of_another_host_gets_nothing() throws Exception {
    assertThat(send("127.0.0.1", Certificate.context(broker.trustedClient, broker.certificate)))
        .isEqualTo("Unavailable TLS_FAILED");
  }

  @Test
  void a_client_without_the_certificate_that_the_broker_wants_sends_nothing() throws Exception {
    assertThat(send("localhost", Certificate.context(null, broker.certificate)))
        .startsWith("Unavailable");
    assertThat(rabbit.arrived()).isEmpty();
  }
}
