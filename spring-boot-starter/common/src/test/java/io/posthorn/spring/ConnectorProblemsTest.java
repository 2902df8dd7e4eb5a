package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.error.PosthornException;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;

/** Problems reported for the properties of destinations, sources and consumers. */
class ConnectorProblemsTest {
  @Configuration
  @EnableAutoConfiguration
  static class Shop {}

  @Test
  void all_problems_of_destinations_sources_and_consumers_are_reported_at_once_by_property() {
    assertThatThrownBy(
            () ->
                App.start(
                    Shop.class,
                    "posthorn.environment=",
                    "posthorn.destinations.none.types=Noted",
                    "posthorn.destinations.both.types=Noted",
                    "posthorn.destinations.both.kafka.topic=a",
                    "posthorn.destinations.both.webhook.url=https://example.org",
                    "posthorn.destinations.typeless.webhook.url=https://example.org",
                    "posthorn.destinations.typeless.webhook.unsigned=true",
                    "posthorn.destinations.serverless.types=*",
                    "posthorn.destinations.serverless.kafka.topic=a",
                    "posthorn.destinations.late.types=*",
                    "posthorn.destinations.late.kafka.topic=a {nothing}",
                    "posthorn.destinations.late.kafka.servers=127.0.0.1:1",
                    "posthorn.destinations.late.kafka.timeout=20s",
                    "posthorn.destinations.hook.types=*",
                    "posthorn.destinations.hook.webhook.url=http://example.org",
                    "posthorn.destinations.rabbit.types=*",
                    "posthorn.destinations.rabbit.rabbitmq.exchange=a",
                    "posthorn.destinations.tls.types=*",
                    "posthorn.destinations.tls.rabbitmq.addresses=127.0.0.1",
                    "posthorn.destinations.tls.rabbitmq.routing-key=a",
                    "posthorn.destinations.tls.rabbitmq.ssl-bundle=missing",
                    "posthorn.sources.topicless.kafka.servers=127.0.0.1:1",
                    "posthorn.sources.empty.type=Noted",
                    "posthorn.consumers.nobody.threads=2"))
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining("posthorn.environment is missing")
        .hasMessageContaining("posthorn.destinations.none has 0 of kafka, rabbitmq and webhook")
        .hasMessageContaining("posthorn.destinations.both has 2 of kafka, rabbitmq and webhook")
        .hasMessageContaining("posthorn.destinations.typeless.types is missing")
        .hasMessageContaining("posthorn.destinations.serverless.kafka: servers is missing")
        .hasMessageContaining("posthorn.destinations.late.kafka.timeout is PT20S")
        .hasMessageContaining("posthorn.destinations.late.kafka: ")
        .hasMessageContaining("topic: ")
        .hasMessageContaining("posthorn.destinations.hook.webhook: ")
        .hasMessageContaining("the signing key is missing")
        .hasMessageContaining("only https is allowed")
        .hasMessageContaining("posthorn.destinations.rabbit.rabbitmq: addresses is missing")
        .hasMessageContaining("posthorn.destinations.tls.rabbitmq: ")
        .hasMessageContaining("missing")
        .hasMessageContaining("posthorn.sources.topicless.kafka: ")
        .hasMessageContaining("posthorn.sources.empty has 0 of kafka and rabbitmq")
        .hasMessageContaining("posthorn.consumers.nobody");
  }
}
