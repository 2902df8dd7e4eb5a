package io.posthorn.kafka;

import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static io.posthorn.testkit.TestMessages.sized;
import static io.posthorn.testkit.TestMessages.typed;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.message.Message;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The address of a message, and what is at fault if it does not exist. */
class TopicTest {
  private final String topic = Broker.topicName();

  @Test
  void a_topic_that_messages_name_and_nobody_has_is_the_message_s_fault() {
    Broker.create(topic + ".Order", Map.of());
    try (KafkaConnector connector = new KafkaConnector(Sent.to(topic + ".{type}").build())) {
      List<Outcome> outcomes =
          Sent.all(
              connector,
              typed("Order", "1"),
              typed("Missing", "2"),
              typed("no/topic", "3"),
              typed("Order", "4"));
      assertThat(outcomes.stream().map(Sent::text))
          .containsExactly("Sent", "Rejected NO_ADDRESS", "Rejected INVALID_ADDRESS", "Sent");
    }
    assertThat(Broker.exists(topic + ".Missing")).isFalse();
  }

  @Test
  void a_message_without_the_value_its_topic_is_named_after_is_rejected() {
    assertThat(Sent.text(Sent.once(Sent.to("orders.{aggregateType}"), message("no key"))))
        .isEqualTo("Rejected INVALID_ADDRESS");
  }

  @Test
  void a_name_that_no_topic_can_have_is_the_destination_s_fault_if_it_is_fixed() {
    assertThat(Sent.text(Sent.once(Sent.to("no/topic"), message("m"))))
        .isEqualTo("Unavailable INVALID_ADDRESS");
  }

  @Test
  void a_missing_topic_is_made_as_configured_and_only_then() {
    assertThat(Sent.text(Sent.once(Sent.to(topic), message("m"))))
        .isEqualTo("Unavailable NO_ADDRESS");
    assertThat(Broker.exists(topic)).isFalse();
    assertThat(Sent.once(Sent.to(topic).createTopic(3, 1), message("m"))).isEqualTo(Outcome.SENT);
    assertThat(check(Sent.to(topic).createTopic(7, 1)))
        .contains(Finding.value("partitions", "3"))
        .noneMatch(Finding::problem);
  }

  @Test
  void a_check_makes_the_topic_that_the_first_message_would_make() {
    assertThat(check(Sent.to(topic))).anyMatch(finding -> finding.name().equals("NO_ADDRESS"));
    assertThat(check(Sent.to(topic).createTopic(2, 1))).noneMatch(Finding::problem);
    assertThat(Broker.exists(topic)).isTrue();
  }

  @Test
  void a_topic_that_cannot_be_made_is_the_destination_s_fault() {
    Outcome outcome = Sent.once(Sent.to(topic).createTopic(1, 3), message("m"));
    assertThat(Sent.text(outcome)).startsWith("Unavailable");
    assertThat(((Outcome.Unavailable) outcome).reason().text()).contains("replication factor");
  }

  @Test
  void what_the_broker_finds_too_large_is_rejected_and_no_other() {
    Broker.create(topic, Map.of("max.message.bytes", "20000"));
    try (KafkaConnector connector = new KafkaConnector(Sent.to(topic).build())) {
      Message[] messages = new Message[40];
      for (int i = 0; i < messages.length; i++) {
        messages[i] = i == 17 ? sized(30_000) : keyed("k" + i, "small " + i);
      }
      // A new topic's partitions have no leader for a moment, and the client's retries could
      // reorder messages.
      for (String key : List.of("k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8", "k9")) {
        assertThat(Sent.once(connector, keyed(key, "before"))).isEqualTo(Outcome.SENT);
      }
      List<Outcome> outcomes = Sent.all(connector, messages);
      for (int i = 0; i < messages.length; i++) {
        assertThat(Sent.text(outcomes.get(i))).isEqualTo(i == 17 ? "Rejected TOO_LARGE" : "Sent");
      }
      assertThat(connector.check()).contains(Finding.value("maxMessageBytes", "20000"));
    }
  }

  @Test
  void what_a_compacted_topic_refuses_is_rejected_and_its_neighbours_go_next_time() {
    Broker.create(topic, Map.of("cleanup.policy", "compact"));
    KafkaConfig config = Sent.to(topic).partition((message, partitions) -> 0).build();
    try (KafkaConnector connector = new KafkaConnector(config)) {
      Message[] messages = new Message[20];
      for (int i = 0; i < messages.length; i++) {
        messages[i] = i == 7 ? message("no key") : keyed("k" + i, "" + i);
      }
      List<Outcome> outcomes = Sent.all(connector, messages);
      assertThat(Sent.text(outcomes.get(7))).isEqualTo("Rejected INVALID_RECORD");
      for (int i = 0; i < messages.length; i++) {
        if (i != 7 && !outcomes.get(i).equals(Outcome.SENT)) {
          assertThat(Sent.text(outcomes.get(i))).isEqualTo("Failed BATCH_REFUSED");
          assertThat(Sent.once(connector, messages[i])).isEqualTo(Outcome.SENT);
        }
      }
    }
  }

  @Test
  void a_check_reports_the_partitions_replicas_and_message_size_of_the_topic() {
    Broker.create(topic, Map.of("min.insync.replicas", "2"));
    assertThat(check(Sent.to(topic).client("max.request.size", "5000")))
        .contains(
            Finding.value("brokers", "1"),
            Finding.value("partitions", "4"),
            Finding.value("replicas", "1"),
            Finding.value("minInSyncReplicas", "2"),
            Finding.value("maxMessageBytes", "5000"));
  }

  private static List<Finding> check(KafkaConfig.Builder config) {
    try (KafkaConnector connector = new KafkaConnector(config.build())) {
      return connector.check();
    }
  }
}
