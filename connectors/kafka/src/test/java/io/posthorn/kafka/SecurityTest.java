package io.posthorn.kafka;

import static io.posthorn.testkit.TestMessages.message;
import static io.posthorn.testkit.TestMessages.typed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Outcome;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class SecurityTest {
  private static SecureBroker broker;

  private final String topic = Broker.topicName();
  private final AtomicReference<String> password = new AtomicReference<>(SecureBroker.PASSWORD);

  @BeforeAll
  static void start() throws Exception {
    broker = SecureBroker.shared();
  }

  private KafkaConfig.Builder to(String where, String user) {
    return Sent.to(broker.servers(), where)
        .login(user, () -> Objects.requireNonNull(password.get(), "the vault is shut"));
  }

  private Connector writer(String where) {
    return new KafkaConnector(to(where, "writer").client(broker::trust).build());
  }

  private void create() {
    Broker.create(broker.admin, topic, Map.of());
    broker.allowWriting("writer", topic);
  }

  @Test
  void an_authorised_client_sends_over_tls() {
    create();
    try (Connector connector = writer(topic)) {
      assertThat(Sent.once(connector, message("m"))).isEqualTo(Outcome.SENT);
      assertThat(connector.check()).noneMatch(Finding::problem);
    }
  }

  @Test
  void a_password_that_is_wrong_and_then_right_costs_only_time() {
    create();
    password.set("wrong");
    try (Connector connector = writer(topic)) {
      assertThat(Sent.text(Sent.once(connector, message("m"))))
          .isEqualTo("Unavailable ACCESS_DENIED");
      assertThat(connector.check()).anyMatch(finding -> finding.name().equals("ACCESS_DENIED"));
      password.set(SecureBroker.PASSWORD);
      assertThat(Sent.once(connector, message("m"))).isEqualTo(Outcome.SENT);
    }
  }

  @Test
  void a_password_that_cannot_be_fetched_is_no_message_s_fault() {
    create();
    try (Connector connector = writer(topic)) {
      password.set(null);
      assertThat(Sent.text(Sent.once(connector, message("m"))))
          .isEqualTo("Unavailable CLIENT_FAILED");
      password.set(SecureBroker.PASSWORD);
      assertThat(Sent.once(connector, message("m"))).isEqualTo(Outcome.SENT);
    }
  }

  @Test
  void a_right_that_is_missing_stops_the_destination_until_it_is_granted() {
    create();
    Outcome refused = Sent.once(to(topic, "stranger").client(broker::trust), message("m"));
    assertThat(Sent.text(refused)).isEqualTo("Unavailable ACCESS_DENIED");
    try (Connector connector = writer(topic)) {
      assertThat(Sent.once(connector, message("m"))).isEqualTo(Outcome.SENT);
      broker.forbidWriting("writer", topic);
      await()
          .until(
              () ->
                  Sent.text(Sent.once(connector, message("m")))
                      .equals("Unavailable ACCESS_DENIED"));
      assertThat(connector.check()).anyMatch(finding -> finding.name().equals("ACCESS_DENIED"));
      broker.allowWriting("writer", topic);
      await().until(() -> Sent.once(connector, message("m")).equals(Outcome.SENT));
    }
  }

  @Test
  void a_broker_that_nobody_vouches_for_gets_nothing() {
    create();
    assertThat(Sent.text(Sent.once(to(topic, "writer"), message("m"))))
        .isEqualTo("Unavailable TLS_FAILED");
    assertThat(
            Sent.text(Sent.once(to(topic, "writer").client(broker::misplacedTrust), message("m"))))
        .isEqualTo("Unavailable TLS_FAILED");
  }

  @Test
  void a_missing_topic_is_not_made_even_where_mentioning_it_makes_it() {
    KafkaConfig.Builder fixed = Sent.to(broker.kafka.bootstrapServers(), topic);
    assertThat(Sent.text(Sent.once(fixed, message("m")))).isEqualTo("Unavailable NO_ADDRESS");
    KafkaConfig.Builder named = Sent.to(broker.kafka.bootstrapServers(), topic + ".{type}");
    assertThat(Sent.text(Sent.once(named, typed("T", "m")))).isEqualTo("Rejected NO_ADDRESS");
    assertThat(Broker.exists(broker.admin, topic)).isFalse();
    assertThat(Broker.exists(broker.admin, topic + ".T")).isFalse();
  }
}
