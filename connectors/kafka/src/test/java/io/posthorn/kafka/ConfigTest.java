package io.posthorn.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.error.PosthornException;
import io.posthorn.envelope.EnvelopeFormat;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigTest {
  @Test
  void all_problems_are_reported_at_once() {
    assertThatThrownBy(
            () ->
                KafkaConfig.to("", "orders.{kee}", EnvelopeFormat.PLAIN)
                    .timeout(Duration.ZERO)
                    .client("acks", "1")
                    .client("linger.ms", "5000")
                    .createTopic(0, 0)
                    .build())
        .isInstanceOf(PosthornException.class)
        .hasMessageContainingAll(
            "{kee} is not known",
            "timeout",
            "acks is set by the connector",
            "linger.ms",
            "partitions is 0",
            "replicas is 0",
            "is a template",
            "servers");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "bootstrap.servers",
        "acks",
        "enable.idempotence",
        "max.in.flight.requests.per.connection",
        "retries",
        "transactional.id",
        "max.block.ms",
        "delivery.timeout.ms"
      })
  void what_safe_delivery_rests_on_cannot_be_changed(String setting) {
    assertThatThrownBy(
            () ->
                KafkaConfig.to("localhost:9092", "orders", EnvelopeFormat.PLAIN)
                    .client(setting, "1")
                    .build())
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining(setting + " is set by the connector");
  }

  @Test
  void a_setting_that_kafka_refuses_is_reported() {
    assertThatThrownBy(
            () ->
                KafkaConfig.to("localhost:9092", "orders", EnvelopeFormat.PLAIN)
                    .client("compression.type", "rar")
                    .build())
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining("compression.type");
  }

  @Test
  void a_password_is_quoted_for_the_login() {
    Map<String, String> settings =
        KafkaConfig.to("localhost:9092", "orders", EnvelopeFormat.PLAIN)
            .login("me", () -> "a\"b\\c; d")
            .build()
            .clientSettings()
            .get();
    assertThat(settings)
        .containsEntry("security.protocol", "SASL_SSL")
        .containsEntry(
            "sasl.jaas.config",
            "org.apache.kafka.common.security.plain.PlainLoginModule required "
                + "username=\"me\" password=\"a\\\"b\\\\c; d\";");
  }
}
