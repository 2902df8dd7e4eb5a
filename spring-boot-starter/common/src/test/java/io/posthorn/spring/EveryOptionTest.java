package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.bus.Subscription;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.core.relay.RetryPolicy;
import io.posthorn.core.relay.SendLimit;
import io.posthorn.kafka.KafkaConfig;
import io.posthorn.kafka.KafkaSourceConfig;
import io.posthorn.rabbitmq.RabbitMqConfig;
import io.posthorn.rabbitmq.RabbitMqSourceConfig;
import io.posthorn.spring.autoconfigure.PosthornProperties;
import io.posthorn.spring.connector.DestinationProperties;
import io.posthorn.spring.connector.RetryChange;
import io.posthorn.spring.connector.SourceProperties;
import io.posthorn.spring.handler.ConsumerProperties;
import io.posthorn.webhook.WebhookConfig;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Compares the options in Java with the properties, so that neither has more than the other. */
class EveryOptionTest {
  /** Options of a builder that another word, or another place, says. */
  private static final Map<Class<?>, Map<String, String>> OTHERWISE =
      Map.of(
          Destination.Builder.class,
          Map.of("allTypes", "types", "limit", "maxInFlight"),
          WebhookConfig.Builder.class,
          Map.of(
              "signedWith",
              "secrets",
              "bearer",
              "bearerToken",
              "basic",
              "username",
              "tls",
              "sslBundle"),
          RabbitMqConfig.Builder.class,
          Map.of("credentials", "username", "tls", "sslBundle"),
          RabbitMqSourceConfig.Builder.class,
          Map.of("credentials", "username", "tls", "sslBundle"),
          Subscription.class,
          Map.of("on", "type", "from", "source", "classifier", "neverRetried"),
          RelayConfig.Builder.class,
          Map.of("poll", "slowestPoll"));

  /** Options without a property, and why. */
  private static final Map<Class<?>, Map<String, String>> LEFT_OUT =
      Map.of(
          Destination.Builder.class,
          Map.of(
              "receives", "@MessageHandler makes a consumer",
              "closesConnector", "a connector that is made from properties is always closed",
              "reject", "it is code: a Destination bean has it"),
          KafkaConfig.Builder.class,
          Map.of(
              "login", "spring.kafka.security and client.sasl.* log in",
              "scram", "spring.kafka.security and client.sasl.* log in"),
          KafkaSourceConfig.Builder.class,
          Map.of(
              "login", "spring.kafka.security and client.sasl.* log in",
              "scram", "spring.kafka.security and client.sasl.* log in"),
          RabbitMqConfig.Builder.class,
          Map.of("unencrypted", "it follows from the address, as in spring.rabbitmq"),
          RabbitMqSourceConfig.Builder.class,
          Map.of("unencrypted", "it follows from the address, as in spring.rabbitmq"),
          Subscription.class,
          Map.of("inProcess", "it is what a handler without a source is"));

  @Test
  void every_option_of_a_destination_is_a_property() {
    assertAllIn(Destination.Builder.class, DestinationProperties.class);
    assertAllIn(KafkaConfig.Builder.class, DestinationProperties.Kafka.class);
    assertAllIn(RabbitMqConfig.Builder.class, DestinationProperties.Rabbitmq.class);
    assertAllIn(WebhookConfig.Builder.class, DestinationProperties.Webhook.class);
    assertThat(components(DestinationProperties.CreateTopic.class))
        .containsAll(components(KafkaConfig.TopicShape.class));
  }

  @Test
  void every_option_that_a_type_can_have_of_its_own_is_a_property_of_the_type() {
    List<String> byType =
        options(Destination.Builder.class)
            .filter(method -> method.getParameterCount() == 2)
            .filter(method -> method.getParameterTypes()[0] == String.class)
            .map(method -> property(Destination.Builder.class, method.getName()))
            .toList();

    assertThat(byType).hasSizeGreaterThanOrEqualTo(4);
    assertThat(components(DestinationProperties.ByType.class)).containsAll(byType);
    assertThat(components(DestinationProperties.ByType.class))
        .containsAll(components(SendLimit.class));
  }

  @Test
  void every_part_of_a_retry_policy_and_of_a_limit_is_a_property() {
    assertThat(components(DestinationProperties.Retry.class))
        .isEqualTo(components(RetryPolicy.class));
    assertThat(components(RetryChange.class)).isEqualTo(components(RetryPolicy.class));
    assertThat(components(DestinationProperties.class)).containsAll(components(SendLimit.class));
  }

  @Test
  void every_option_of_a_source_is_a_property() {
    assertAllIn(KafkaSourceConfig.Builder.class, SourceProperties.Kafka.class);
    assertAllIn(RabbitMqSourceConfig.Builder.class, SourceProperties.Rabbitmq.class);
  }

  @Test
  void every_option_of_a_subscription_is_a_property_or_on_the_handler() {
    Set<String> known = new TreeSet<>(components(ConsumerProperties.class));
    known.addAll(
        Arrays.stream(MessageHandler.class.getDeclaredMethods()).map(Method::getName).toList());

    assertAllIn(Subscription.class, known);
  }

  @Test
  void every_option_of_the_relay_s_config_is_a_property() {
    assertAllIn(RelayConfig.Builder.class, PosthornProperties.Relay.class);
  }

  private static void assertAllIn(Class<?> builder, Class<?> settings) {
    assertAllIn(builder, components(settings));
  }

  private static void assertAllIn(Class<?> builder, Set<String> known) {
    Map<String, String> leftOut = LEFT_OUT.getOrDefault(builder, Map.of());
    Map<String, String> otherwise = OTHERWISE.getOrDefault(builder, Map.of());
    Set<String> options =
        options(builder).map(Method::getName).collect(Collectors.toCollection(TreeSet::new));
    List<String> forgotten = new ArrayList<>();
    for (String option : options) {
      if (!leftOut.containsKey(option) && !known.contains(property(builder, option))) {
        forgotten.add(option);
      }
    }

    assertThat(forgotten).as("options of %s without a property", builder.getName()).isEmpty();
    assertThat(options).as("exceptions that are still needed").containsAll(leftOut.keySet());
    assertThat(options).as("other names that are still needed").containsAll(otherwise.keySet());
  }

  private static String property(Class<?> builder, String option) {
    return OTHERWISE.getOrDefault(builder, Map.of()).getOrDefault(option, option);
  }

  /** The methods that set an option: those that return the builder itself, also inherited ones. */
  private static Stream<Method> options(Class<?> builder) {
    return Arrays.stream(builder.getMethods())
        .filter(method -> !Modifier.isStatic(method.getModifiers()))
        .filter(method -> method.getReturnType().isAssignableFrom(builder))
        .filter(method -> method.getReturnType() != Object.class);
  }

  private static Set<String> components(Class<?> record) {
    return Arrays.stream(record.getRecordComponents())
        .map(RecordComponent::getName)
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
