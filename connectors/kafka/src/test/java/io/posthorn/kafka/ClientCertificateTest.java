package io.posthorn.kafka;

import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Outcome;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A broker that refuses clients without a certificate. */
class ClientCertificateTest {
  private static SecureBroker broker;

  private final String topic = Broker.topicName();

  @BeforeAll
  static void start() throws Exception {
    broker = SecureBroker.shared();
  }

  /**
   * Configures a longer timeout than usual. The broker reports a refused certificate after the
   * handshake, and a busy machine may lose that report. The client then only sees a closed
   * connection, and retries for a quarter of this time.
   */
  private KafkaConfig.Builder to() {
    Broker.create(broker.admin, topic, Map.of());
    broker.allowWriting("CN=writer", topic);
    return Sent.to(broker.servers("MUTUAL"), topic).timeout(Duration.ofSeconds(16));
  }

  @Test
  void a_client_with_a_certificate_is_known_by_its_name() throws Exception {
    KafkaConfig.Builder to = to();
    Path writer = broker.clientKey("writer");
    try (Connector connector =
        new KafkaConnector(to.client(() -> broker.showing(writer)).build())) {
      assertThat(Sent.once(connector, message("m"))).isEqualTo(Outcome.SENT);
      assertThat(connector.check()).noneMatch(Finding::problem);
    }
    Path stranger = broker.clientKey("stranger");
    KafkaConfig.Builder strange =
        Sent.to(broker.servers("MUTUAL"), topic).client(() -> broker.showing(stranger));
    assertThat(Sent.text(Sent.once(strange, message("m")))).isEqualTo("Unavailable ACCESS_DENIED");
  }

  @Test
  void a_connector_without_a_certificate_sends_nothing_and_rejects_nothing() {
    KafkaConfig.Builder to = to().client(() -> broker.trust()).client("security.protocol", "SSL");
    assertThat(Sent.text(Sent.once(to, message("m")))).isEqualTo("Unavailable TLS_FAILED");
  }

  @Test
  void a_certificate_that_has_expired_and_is_renewed_costs_only_time() throws Exception {
    KafkaConfig.Builder to = to();
    AtomicReference<Path> key =
        new AtomicReference<>(broker.clientKey("writer", "-startdate", "-3d", "-validity", "1"));
    try (Connector connector =
        new KafkaConnector(to.client(() -> broker.showing(key.get())).build())) {
      assertThat(Sent.text(Sent.once(connector, message("m")))).isEqualTo("Unavailable TLS_FAILED");
      assertThat(connector.check()).anyMatch(Finding::problem);
      key.set(broker.clientKey("writer"));
      assertThat(Sent.once(connector, message("m"))).isEqualTo(Outcome.SENT);
    }
  }
}
