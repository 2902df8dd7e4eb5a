package io.posthorn.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.error.PosthornException;
import io.posthorn.envelope.EnvelopeFormat;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ConfigTest {
  @Test
  void all_problems_are_reported_at_once() {
    assertThatThrownBy(
            () ->
                RabbitMqConfig.to("one:x,,two", EnvelopeFormat.PLAIN)
                    .virtualHost("")
                    .exchange("{kee}")
                    .timeout(Duration.ofSeconds(1))
                    .connectTimeout(Duration.ofSeconds(2))
                    .maxMessageSize(0)
                    .build())
        .isInstanceOf(PosthornException.class)
        .hasMessageContainingAll(
            "'one:x'",
            "''",
            "virtualHost",
            "exchange: {kee} is not known",
            "routingKey: it is empty",
            "either tls or unencrypted",
            "timeout is PT1S",
            "maxMessageSize",
            "credentials are missing");
  }

  @Test
  void several_brokers_with_and_without_a_port_are_accepted() {
    RabbitMqConfig config =
        RabbitMqConfig.to("one, two:5673 ,[::1]:5674", EnvelopeFormat.PLAIN)
            .unencrypted()
            .credentials(() -> new Credentials("user", "secret"))
            .routingKey("orders")
            .build();
    assertThat(config.brokers())
        .containsExactly(
            new RabbitMqConfig.Broker("one", 0),
            new RabbitMqConfig.Broker("two", 5673),
            new RabbitMqConfig.Broker("[::1]", 5674));
  }

  @Test
  void passwords_are_not_shown() {
    assertThat(new Credentials("user", "secret")).hasToString("user");
  }
}
