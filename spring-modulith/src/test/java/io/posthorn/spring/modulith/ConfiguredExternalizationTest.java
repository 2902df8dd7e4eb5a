package io.posthorn.spring.modulith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.message.Message;
import io.posthorn.test.PosthornTest;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.RoutingTarget;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.transaction.TestTransaction;
import org.springframework.transaction.annotation.Transactional;

/** The application's own configuration of events, in tests that Spring rolls back. */
@SpringBootTest(
    webEnvironment = SpringBootTest.WebEnvironment.NONE,
    properties = {
      "posthorn.types=ledger,Whole",
      "spring.modulith.events.jdbc.schema-initialization.enabled=true"
    })
@DirtiesContext // so that the registry, which queries the database at its end, ends first
@Transactional
class ConfiguredExternalizationTest {
  @RegisterExtension
  static final PosthornTest posthorn = PosthornTest.embedded().deliversTo("broker");

  @DynamicPropertySource
  static void database(DynamicPropertyRegistry registry) {
    registry.add("spring.datasource.url", posthorn::jdbcUrl);
  }

  record Booked(String account, int amount, String secret) {}

  record BookedPublicly(String account, int amount) {}

  record Whole(String text) {}

  record Unlisted(String text) {}

  @Configuration
  @EnableAutoConfiguration
  static class Bank {
    @Bean
    EventExternalizationConfiguration externalization() {
      return EventExternalizationConfiguration.externalizing()
          .select(event -> event.getClass().getPackageName().startsWith("io.posthorn"))
          .mapping(Booked.class, booked -> new BookedPublicly(booked.account(), booked.amount()))
          .mapping(Whole.class, whole -> Message.of("Whole").key("text", whole.text()).build())
          .headers(BookedPublicly.class, booked -> Map.of("currency", "EUR", "digits", 2))
          .route(Unlisted.class, unlisted -> RoutingTarget.forTarget("elsewhere").withoutKey())
          .route(Booked.class, booked -> RoutingTarget.forTarget("ledger").andKey(booked.account()))
          .build();
    }
  }

  @Autowired private ApplicationEventPublisher events;

  @Test
  void what_the_application_maps_routes_and_adds_as_headers_is_in_the_message() {
    events.publishEvent(new Booked("7", 100, "secret"));
    commit();

    assertThat(posthorn.outbox())
        .holdsOne("ledger")
        .withKey("ledger", "7")
        .withHeader("currency", "EUR")
        .withHeader("digits", "2");
    assertThat(posthorn.outbox().toString()).contains("{\"account\":\"7\",\"amount\":100}");
  }

  @Test
  void an_event_can_be_mapped_to_a_whole_message() {
    events.publishEvent(new Whole("x"));
    commit();

    assertThat(posthorn.outbox()).holdsOne("Whole").withKey("text", "x");
  }

  @Test
  void a_target_that_is_no_type_is_an_error_for_the_publisher() {
    assertThatThrownBy(() -> events.publishEvent(new Unlisted("x")))
        .hasMessageContaining("POSTHORN-001");
  }

  @Test
  void a_test_that_is_rolled_back_never_writes_to_the_outbox() {
    events.publishEvent(new Booked("7", 100, "secret"));

    assertThat(posthorn.outbox()).holdsNothing();
  }

  private static void commit() {
    TestTransaction.flagForCommit();
    TestTransaction.end();
  }
}
