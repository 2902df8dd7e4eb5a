package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

/** What the starter makes of its settings, and what it says against them. */
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
  void all_problems_are_told_at_once() {
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
        .hasMessageContaining("posthorn.application is missing")
        .hasMessageContaining("posthorn.environment is missing")
        .hasMessageContaining("prefix 'No-Prefix'")
        .hasMessageContaining("has a key and no aggregate")
        .hasMessageContaining("has the key 'nothing'");
  }

  @Test
  void all_that_is_wrong_with_handlers_is_told_with_the_bean_and_the_method() {
    assertThatThrownBy(() -> App.start(BrokenHandlers.class, "posthorn.environment="))
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining("14 problems")
        .hasMessageContaining("posthorn.environment is missing")
        .hasMessageContaining("Wrong.nobody of bean 'wrong' has no consumer")
        .hasMessageContaining("Wrong.nobody of bean 'wrong' has no type")
        .hasMessageContaining("consumer 'a' has two methods for 'Noted'")
        .hasMessageContaining("Wrong.unregistered of bean 'wrong' wants a")
        .hasMessageContaining("Wrong.mistyped of bean 'wrong' handles 'Mistyped'")
        .hasMessageContaining("Wrong.twoPayloads of bean 'wrong' has 2 parameters for the payload")
        .hasMessageContaining("Wrong.returning of bean 'wrong' returns int")
        .hasMessageContaining("Wrong.async of bean 'wrong' is @Async")
        .hasMessageContaining("the source 'nowhere'")
        .hasMessageContaining("consumer 'g' has two values of attempts")
        .hasMessageContaining("the backoff 'soon'")
        .hasMessageContaining(
            "'mail' is the name of two destinations, or of a destination and a consumer")
        .hasMessageContaining("Many.ofMany of bean 'many' is not of a singleton");
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
          .contains("\"posthorn.sources\"", "\"posthorn.consumers\"");
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
