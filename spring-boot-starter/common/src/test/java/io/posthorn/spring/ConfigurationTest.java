package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.posthorn.broken.BrokenEvents;
import io.posthorn.broken.handlers.BrokenHandlers;
import io.posthorn.core.connector.InProcess;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Message;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.spring.autoconfigure.PosthornProperties;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.support.SpringFactoriesLoader;

/** How the starter applies its settings, and which problems it reports. */
class ConfigurationTest {
  @Configuration
  @EnableAutoConfiguration
  static class Shop {}

  @Configuration
  @EnableAutoConfiguration
  static class WithDestination {
    @Bean
    Destination mail() {
      return Destination.named("mail", InProcess.handlers().build()).types("Noted").build();
    }
  }

  @Test
  void the_defaults_are_those_of_the_library() {
    PosthornProperties defaults =
        new Binder(new MapConfigurationPropertySource(Map.of()))
            .bindOrCreate("posthorn", PosthornProperties.class);

    assertThat(defaults.relay().config()).isEqualTo(RelayConfig.DEFAULT);
    assertThat(defaults.outbox().maxPayloadSize().toBytes()).isEqualTo(1 << 20);
  }

  @Test
  void all_problems_are_reported_at_once() {
    assertThatThrownBy(
            () ->
                App.start(
                    BrokenEvents.class,
                    "spring.application.name=",
                    "posthorn.environment=",
                    "posthorn.prefix=No-Prefix"))
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining("POSTHORN-015")
        .hasMessageContaining("5 problems")
        .hasMessageContaining("posthorn.application and spring.application.name are missing")
        .hasMessageContaining("posthorn.environment is missing")
        .hasMessageContaining("prefix 'No-Prefix'")
        .hasMessageContaining("several components or methods with @MessageKey")
        .hasMessageContaining("@MessageKey is on order(…)");
  }

  @Test
  void mistakes_in_the_relays_settings_are_reported_with_all_others_and_the_values_needed() {
    Throwable failure =
        catchThrowable(
            () ->
                App.start(
                    WithDestination.class,
                    "posthorn.environment=",
                    "posthorn.relay.batch-size=1",
                    "posthorn.relay.lease=20s"));

    assertThat(analysis(failure).getDescription().lines().skip(1))
        .containsExactlyInAnyOrder(
            "- posthorn.environment is missing: set it to where this runs, for example "
                + "production, so that a copy of its database sends nothing",
            "- posthorn.relay.batch-size is 1, at least 2 is needed",
            "- posthorn.relay.lease is PT20S, but destination 'mail' needs at least "
                + "PT30S: twice its sendTimeout PT10S plus settleTimeout PT5S");
  }

  @Test
  void invalid_values_are_reported_by_property() {
    assertThatThrownBy(
            () ->
                App.start(
                    WithDestination.class,
                    "posthorn.outbox.max-payload-size=3GB",
                    "posthorn.metrics.every=0s",
                    "posthorn.metrics.most-types=0",
                    "posthorn.data-source=nowhere",
                    "posthorn.relay.enabled=true",
                    "posthorn.relay.fastest-poll=2s",
                    "posthorn.relay.store-threads=1",
                    "posthorn.relay.dead-retention=1d",
                    "posthorn.destinations.hook.types=*",
                    "posthorn.destinations.hook.webhook.url=https://example.org",
                    "posthorn.destinations.hook.webhook.unsigned=true",
                    "posthorn.destinations.hook.max-in-flight=0",
                    "posthorn.destinations.hook.per-second=-1",
                    "posthorn.destinations.hook.breaker-after=0",
                    "posthorn.destinations.hook.retry.attempts=0",
                    "posthorn.destinations.hook.retry.backoff=0s",
                    "posthorn.consumers.nobody.threads=0",
                    "posthorn.consumers.nobody.tries=0"))
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining("posthorn.outbox.max-payload-size is 3221225472 bytes")
        .hasMessageContaining("posthorn.metrics.every is PT0S: it must be more than 0")
        .hasMessageContaining("posthorn.metrics.most-types is 0: it must be at least 1")
        .hasMessageContaining("posthorn.data-source is 'nowhere'")
        .hasMessageContaining("name one of dataSource")
        .hasMessageContaining("posthorn.relay.fastest-poll PT2S is longer than slowestPoll PT1S")
        .hasMessageContaining("posthorn.relay.store-threads is 1, at least 2")
        .hasMessageContaining("posthorn.relay.dead-retention is PT24H")
        .hasMessageContaining(
            "posthorn.destinations.hook.max-in-flight is 0: it must be at least 1")
        .hasMessageContaining(
            "posthorn.destinations.hook.per-second is -1.0: it must not be negative; 0 means no limit")
        .hasMessageContaining(
            "posthorn.destinations.hook.breaker-after is 0: it must be at least 1")
        .hasMessageContaining(
            "posthorn.destinations.hook.retry.attempts is 0: it must be at least 1")
        .hasMessageContaining(
            "posthorn.destinations.hook.retry.backoff is PT0S: it must be more than 0")
        .hasMessageContaining("posthorn.consumers.nobody.threads is 0: it must be at least 1")
        .hasMessageContaining("posthorn.consumers.nobody.tries is 0: it must be at least 1")
        .hasMessageContaining("15 problems");
  }

  @Test
  void all_problems_of_handlers_are_reported_with_the_bean_and_the_method() {
    assertThatThrownBy(() -> App.start(BrokenHandlers.class, "posthorn.environment="))
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining("14 problems")
        .hasMessageContaining("posthorn.environment is missing")
        .hasMessageContaining("Wrong.nobody of bean 'wrong' has no consumer")
        .hasMessageContaining("Wrong.nobody of bean 'wrong' has no type")
        .hasMessageContaining("consumer 'a' has two methods for 'Noted'")
        .hasMessageContaining("Wrong.unregistered of bean 'wrong' takes a")
        .hasMessageContaining("Wrong.mistyped of bean 'wrong' handles 'Mistyped'")
        .hasMessageContaining("Wrong.twoPayloads of bean 'wrong' has 2 parameters for the payload")
        .hasMessageContaining("Wrong.returning of bean 'wrong' returns int")
        .hasMessageContaining("Wrong.async of bean 'wrong' is @Async")
        .hasMessageContaining("the source 'nowhere'")
        .hasMessageContaining("consumer 'g' has two values of attempts")
        .hasMessageContaining("the backoff 'soon'")
        .hasMessageContaining(
            "'mail' is the name of two destinations, or of a destination and a consumer")
        .hasMessageContaining("Many.ofMany of bean 'many' does not belong to a singleton");
  }

  @Test
  void an_application_without_the_tables_says_how_to_get_them() {
    Throwable failure = null;
    try (App app = App.start(WithDestination.class, "posthorn.migrate=false")) {
      assertThat(app).isNull();
    } catch (RuntimeException e) {
      failure = e;
    }

    assertThat(analysis(Objects.requireNonNull(failure)).getDescription())
        .startsWith("POSTHORN-008");
    assertThat(analysis(failure).getAction()).contains("posthorn.migrate");
  }

  @Test
  void the_outbox_can_be_switched_off() {
    try (App app = App.start(Shop.class, "posthorn.enabled=false")) {
      assertThat(app.context().getBeanNamesForType(TransactionalOutbox.class)).isEmpty();
      assertThat(app.context().getBeanNamesForType(Outbox.class)).isEmpty();
    }
  }

  @Test
  void the_tables_can_have_another_schema_and_prefix() {
    try (App app = App.start(Shop.class, "posthorn.schema=mail", "posthorn.prefix=out_")) {
      app.inTransaction(tx -> app.outbox().add(Message.of("Noted").build()));

      assertThat(app.jdbc().sql("SELECT count(*) FROM mail.out_log").query(Integer.class).single())
          .isEqualTo(1);
    }
  }

  @Test
  void editors_can_complete_the_settings() throws Exception {
    try (InputStream in =
        PosthornProperties.class.getResourceAsStream(
            "/META-INF/spring-configuration-metadata.json")) {
      String metadata = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      assertThat(metadata)
          .contains("\"posthorn.relay.batch-size\"", "\"posthorn.environment\"")
          .contains("how long a settle may take")
          .contains("\"posthorn.destinations\"", "DestinationProperties>")
          .contains("\"posthorn.sources\"", "\"posthorn.consumers\"")
          .contains("\"spring-bean-reference\"", "\"production\"");
    }
  }

  private static FailureAnalysis analysis(Throwable failure) {
    List<FailureAnalyzer> analyzers =
        SpringFactoriesLoader.forDefaultResourceLocation()
            .load(
                FailureAnalyzer.class,
                SpringFactoriesLoader.FailureHandler.handleMessage((message, e) -> {}));
    return analyzers.stream()
        .filter(analyzer -> analyzer.getClass().getName().startsWith("io.posthorn"))
        .map(analyzer -> analyzer.analyze(failure))
        .findFirst()
        .orElseThrow();
  }
}
