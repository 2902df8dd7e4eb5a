package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Message;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application that leaves the delivery to others, as most tests of applications do. */
class RelayOffTest {
  private static final String[] DESTINATIONS = {
    "posthorn.destinations.partner.types=Noted",
    "posthorn.destinations.partner.webhook.url=${PARTNER_URL}",
    "posthorn.destinations.partner.webhook.secrets=${PARTNER_SECRET:}${PARTNER_OTHER_SECRET}",
    "posthorn.destinations.hook.types=Noted",
    "posthorn.destinations.hook.webhook.url=https://example.org/hooks",
    "posthorn.destinations.shop.types=Noted",
    "posthorn.destinations.shop.kafka.topic=shop",
    "posthorn.destinations.rabbit.types=Noted",
    "posthorn.destinations.rabbit.rabbitmq.exchange=shop",
    "posthorn.sources.payments.kafka.topics=payments"
  };

  @Configuration
  @EnableAutoConfiguration
  static class Shop {
    @Bean
    Books books() {
      return new Books();
    }
  }

  static class Books {
    @MessageHandler(consumer = "books", type = "Paid", source = "payments")
    void note(Message message) {}
  }

  @Test
  void without_a_relay_no_connector_is_made_and_no_secret_or_address_is_needed() {
    try (App app = App.start(Shop.class, with("posthorn.relay.enabled=false"))) {
      app.inTransaction(tx -> app.outbox().add(Messages.noted("added")));

      assertThat(app.logged()).containsExactly("added");
    }
  }

  @Test
  void what_can_be_checked_without_secrets_is_checked_all_the_same() {
    assertThatThrownBy(
            () ->
                App.start(
                    Shop.class,
                    with(
                        "posthorn.relay.enabled=false",
                        "posthorn.destinations.none.types=Noted",
                        "posthorn.destinations.shop.start-at=soon")))
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining("posthorn.destinations.none has 0 of kafka, rabbitmq and webhook")
        .hasMessageContaining("posthorn.destinations.shop.start-at is 'soon'")
        .hasMessageContaining("2 problems");
  }

  @Test
  void with_a_relay_everything_that_is_missing_is_reported_by_its_property() {
    assertThatThrownBy(() -> App.start(Shop.class, with("posthorn.relay.enabled=true")))
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining(
            "posthorn.destinations.partner.webhook.url has the placeholder ${PARTNER_URL}, for which nothing is configured")
        .hasMessageContaining(
            "posthorn.destinations.partner.webhook.secrets has the placeholder ${PARTNER_OTHER_SECRET}")
        .hasMessageContaining(
            "posthorn.destinations.hook.webhook: POSTHORN-015: the webhook was not configured: the signing key is missing: set webhook.secrets, or set webhook.unsigned")
        .hasMessageContaining("posthorn.destinations.shop.kafka: servers is missing")
        .hasMessageContaining("posthorn.sources.payments.kafka: servers is missing")
        .hasMessageContaining("posthorn.destinations.rabbit.rabbitmq: addresses is missing");
  }

  @Test
  void connectors_name_properties_and_not_options_in_java() {
    assertThatThrownBy(
            () ->
                App.start(
                    Shop.class,
                    "spring.kafka.bootstrap-servers=${BROKERS}",
                    "posthorn.environment=${PLACE}",
                    "posthorn.sources.payments.kafka.topics=payments",
                    "posthorn.destinations.hook.types=Noted",
                    "posthorn.destinations.hook.webhook.url=http://joe@example.org/{nothing}",
                    "posthorn.destinations.hook.webhook.secrets=weak",
                    "posthorn.destinations.hook.webhook.allow-networks=home",
                    "posthorn.destinations.hook.webhook.max-connections=0",
                    "posthorn.destinations.topic.types=Noted",
                    "posthorn.destinations.topic.kafka.servers=127.0.0.1:1",
                    "posthorn.destinations.topic.kafka.topic=orders",
                    "posthorn.destinations.topic.kafka.partition=nobody",
                    "posthorn.destinations.created.types=Noted",
                    "posthorn.destinations.created.kafka.servers=127.0.0.1:1",
                    "posthorn.destinations.created.kafka.topic={type}",
                    "posthorn.destinations.created.kafka.create-topic.partitions=3"))
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining("posthorn.environment has the placeholder ${PLACE}")
        .hasMessageContaining("spring.kafka.bootstrap-servers has the placeholder ${BROKERS}")
        .hasMessageContaining("to allow http too, set webhook.plain-http")
        .hasMessageContaining("use webhook.username and webhook.password instead")
        .hasMessageContaining("webhook.secrets: ")
        .hasMessageContaining("webhook.allow-networks: 'home' is not a network")
        .hasMessageContaining("webhook.max-connections is 0")
        .hasMessageContaining("{aggregateType}")
        .hasMessageContaining("partition is 'nobody': it must be the number of a partition")
        .hasMessageContaining("kafka.create-topic: replicas is 0")
        .hasMessageContaining("kafka.create-topic: '{type}' is a template");
  }

  @Test
  void a_type_s_own_settings_are_checked() {
    assertThatThrownBy(
            () ->
                App.start(
                    Shop.class,
                    with(
                        "posthorn.relay.enabled=false",
                        "posthorn.destinations.shop.unserved-grace=-1s",
                        "posthorn.destinations.shop.retry.jitter=-1",
                        "posthorn.destinations.shop.by-type.Noticed.retry.attempts=0",
                        "posthorn.destinations.shop.by-type.Noted.retry.backoff=0s",
                        "posthorn.destinations.shop.by-type.Noted.not-after=0s",
                        "posthorn.destinations.shop.by-type.Noted.max-in-flight=0",
                        "posthorn.destinations.shop.by-type.Noted.per-second=-1")))
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining("posthorn.destinations.shop.unserved-grace is PT-1S")
        .hasMessageContaining("posthorn.destinations.shop.retry.jitter is -1.0")
        .hasMessageContaining(
            "posthorn.destinations.shop.by-type.Noticed is for a type that is not routed to the destination")
        .hasMessageContaining("by-type.Noticed.retry.attempts is 0")
        .hasMessageContaining("by-type.Noted.retry.backoff is PT0S")
        .hasMessageContaining("by-type.Noted.not-after is PT0S")
        .hasMessageContaining("by-type.Noted.max-in-flight is 0")
        .hasMessageContaining("by-type.Noted.per-second is -1.0")
        .hasMessageContaining("8 problems");
  }

  private static String[] with(String... more) {
    String[] all = Arrays.copyOf(DESTINATIONS, DESTINATIONS.length + more.length);
    System.arraycopy(more, 0, all, DESTINATIONS.length, more.length);
    return all;
  }
}
