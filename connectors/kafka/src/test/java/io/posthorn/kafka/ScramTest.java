package io.posthorn.kafka;

import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Outcome;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A broker that requires a proof of the password, repeatedly. */
class ScramTest {
  private static SecureBroker broker;

  private final String topic = Broker.topicName();
  private final String user = "user-" + topic;
  private final AtomicReference<String> password = new AtomicReference<>("first \"one\"");

  @BeforeAll
  static void start() throws Exception {
    broker = SecureBroker.shared();
  }

  private Connector connector() {
    Broker.create(broker.admin, topic, Map.of());
    broker.allowWriting(user, topic);
    broker.scramPassword(user, "first \"one\"");
    return new KafkaConnector(
        Sent.to(broker.servers("SCRAM"), topic)
            .scram(user, password::get)
            .client(broker::trust)
            .build());
  }

  @Test
  void a_client_that_knows_the_password_sends() {
    try (Connector connector = connector()) {
      assertThat(Sent.once(connector, message("m"))).isEqualTo(Outcome.SENT);
      assertThat(connector.check()).noneMatch(Finding::problem);
    }
  }

  @Test
  void a_password_that_is_wrong_and_then_right_costs_only_time() {
    password.set("wrong");
    try (Connector connector = connector()) {
      assertThat(Sent.text(Sent.once(connector, message("m"))))
          .isEqualTo("Unavailable ACCESS_DENIED");
      assertThat(connector.check()).anyMatch(finding -> finding.name().equals("ACCESS_DENIED"));
      password.set("first \"one\"");
      assertThat(Sent.once(connector, message("m"))).isEqualTo(Outcome.SENT);
    }
  }

  @Test
  void a_password_that_expires_while_connected_costs_only_time() {
    try (Connector connector = connector()) {
      assertThat(Sent.once(connector, message("m"))).isEqualTo(Outcome.SENT);
      broker.scramPassword(user, "second one");
      await()
          .atMost(Duration.ofSeconds(30))
          .until(
              () -> {
                Outcome outcome = Sent.once(connector, message("m"));
                assertThat(outcome).isInstanceOfAny(Outcome.Sent.class, Outcome.Unavailable.class);
                return Sent.text(outcome).equals("Unavailable ACCESS_DENIED");
              });
      password.set("second one");
      await().until(() -> Sent.once(connector, message("m")).equals(Outcome.SENT));
    }
  }
}
