package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.message.MessageKey;
import io.posthorn.core.message.OutboxMessage;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;

/** Annotated events, added explicitly or published. */
class PublishedEventsTest {
  private static App app;

  @Configuration
  @EnableAutoConfiguration
  static class Shop {}

  @OutboxMessage(schemaVersion = 2)
  record OrderPlaced(@MessageKey("order") long orderId, int total) {}

  @OutboxMessage
  record CacheWarmed(String cache) {}

  @OutboxMessage
  record Renamed(@MessageKey("customer") String customer) {}

  record Unmarked(String name) {}

  @BeforeAll
  static void start() {
    app = App.start(Shop.class);
  }

  @AfterAll
  static void stop() {
    app.close();
  }

  @BeforeEach
  void empty() {
    app.jdbc().sql("DELETE FROM posthorn_log").update();
  }

  @Test
  void a_published_event_is_a_message_of_the_transaction() {
    app.inTransaction(tx -> app.context().publishEvent(new OrderPlaced(42, 7)));

    Map<String, Object> row =
        app.jdbc()
            .sql("SELECT type, schema_version, aggregate_type, key, content_type FROM posthorn_log")
            .query()
            .singleRow();
    assertThat(row)
        .containsEntry("type", "OrderPlaced")
        .containsEntry("schema_version", 2)
        .containsEntry("aggregate_type", "order")
        .containsEntry("key", "42")
        .containsEntry("content_type", "application/json");
    assertThat(app.logged()).containsExactly("{\"orderId\":42,\"total\":7}");
  }

  @Test
  void an_event_can_be_added_by_hand() {
    app.inTransaction(tx -> app.outbox().add(new CacheWarmed("prices")));

    assertThat(app.logged()).containsExactly("{\"cache\":\"prices\"}");
    assertThat(app.jdbc().sql("SELECT key IS NULL FROM posthorn_log").query().singleValue())
        .isEqualTo(true);
  }

  @Test
  void an_event_published_without_a_transaction_is_refused_and_not_lost_in_silence() {
    assertThatThrownBy(() -> app.context().publishEvent(new OrderPlaced(42, 7)))
        .hasMessageContaining("POSTHORN-003");
  }

  @Test
  void other_events_are_none_of_its_business() {
    app.context().publishEvent(new Unmarked("x"));

    assertThat(app.logged()).isEmpty();
  }

  @Test
  void an_event_without_the_value_of_its_key_is_refused() {
    app.inTransaction(
        tx ->
            assertThatThrownBy(() -> app.outbox().add(new Renamed(null)))
                .hasMessageContaining("POSTHORN-002")
                .hasMessageContaining("customer() is null"));
  }

  @Test
  void a_record_is_enough() {
    app.inTransaction(tx -> app.outbox().add(new Unmarked("x")));

    assertThat(app.jdbc().sql("SELECT type FROM posthorn_log").query().singleValue())
        .isEqualTo("Unmarked");
  }

  @Test
  void an_event_can_be_completed_before_it_is_added() {
    UUID id = UUID.randomUUID();
    app.inTransaction(
        tx ->
            app.outbox()
                .message(new Renamed("ada"))
                .id(id)
                .correlationId("c-1")
                .causationId("m-1")
                .header("tenant", "north")
                .notBefore(Instant.parse("2030-01-01T00:00:00Z"))
                .add());

    Map<String, Object> row =
        app.jdbc()
            .sql(
                "SELECT id, key, headers ->> 'correlation-id' AS correlation, headers ->> 'tenant' AS tenant, not_before > now() AS later FROM posthorn_log")
            .query()
            .singleRow();
    assertThat(row)
        .containsEntry("id", id)
        .containsEntry("key", "ada")
        .containsEntry("correlation", "c-1")
        .containsEntry("tenant", "north")
        .containsEntry("later", true);
  }

  @Test
  void an_event_of_a_class_that_is_neither_a_record_nor_registered_is_refused() {
    app.inTransaction(
        tx ->
            assertThatThrownBy(() -> app.outbox().add(new Object()))
                .hasMessageContaining("POSTHORN-001")
                .hasMessageContaining("@OutboxMessage"));
  }
}
