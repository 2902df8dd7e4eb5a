package io.posthorn.spring;

import static io.posthorn.spring.Messages.changed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.operate.steering.DestinationStatus;
import io.posthorn.core.operate.steering.Steering;
import io.posthorn.core.store.AfterDead;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Isolation;

/** Settings of consumers, on the methods and by properties. */
class HandlerSettingsTest {
  private static final List<String> SEEN = new CopyOnWriteArrayList<>();

  @Configuration
  @EnableAutoConfiguration
  static class Shop {
    @Bean
    Handlers handlers(JdbcClient jdbc) {
      return new Handlers(jdbc);
    }
  }

  static class Handlers {
    private final JdbcClient jdbc;

    Handlers(JdbcClient jdbc) {
      this.jdbc = jdbc;
    }

    @MessageHandler(
        consumer = "orders",
        type = "OrderChanged",
        isolation = Isolation.SERIALIZABLE,
        afterDead = AfterDead.HOLD,
        neverRetried = IllegalArgumentException.class)
    void take(Message message) {
      SEEN.add(jdbc.sql("SHOW transaction_isolation").query(String.class).single());
      throw new IllegalStateException(new NumberFormatException("forty-two"));
    }

    @MessageHandler(
        consumer = "notes",
        type = "Noted",
        attempts = 7,
        backoff = "10ms",
        longestBackoff = "10ms")
    void note(Message message) {
      SEEN.add(jdbc.sql("SHOW transaction_isolation").query(String.class).single());
      throw new UnsupportedOperationException("no notes today");
    }
  }

  @Configuration
  @EnableAutoConfiguration
  static class Wrong {
    @Bean
    Unwanted unwanted() {
      return new Unwanted();
    }
  }

  static class Unwanted {
    @MessageHandler(
        consumer = "notes",
        type = "Noted",
        timeLimit = "soon",
        isolation = Isolation.READ_UNCOMMITTED)
    void note(Message message) {}
  }

  @BeforeEach
  void empty() {
    SEEN.clear();
  }

  @Test
  void a_method_says_isolation_what_holds_a_key_and_what_is_never_retried() {
    try (App app = App.start(Shop.class)) {
      app.inTransaction(
          tx -> {
            app.outbox().add(changed("1", "first"));
            app.outbox().add(changed("1", "second"));
          });

      await().untilAsserted(() -> assertThat(letters(app, "orders")).hasSize(1));
      assertThat(letters(app, "orders"))
          .extracting(DeadLetter::reason, DeadLetter::attempts)
          .containsExactly(tuple("NumberFormatException", 1));
      await().untilAsserted(() -> assertThat(status(app, "orders").parked()).isEqualTo(1));
      assertThat(status(app, "orders").heldKeys()).isEqualTo(1);
      assertThat(SEEN).containsOnly("serializable");
      assertThat(app.jdbc().sql("SHOW transaction_isolation").query(String.class).single())
          .isEqualTo("read committed");
    }
  }

  @Test
  void properties_override_what_the_methods_say() {
    try (App app =
        App.start(
            Shop.class,
            "posthorn.consumers.orders.after-dead=continue",
            "posthorn.consumers.orders.isolation=read-committed",
            "posthorn.consumers.notes.retry.attempts=2",
            "posthorn.consumers.notes.retry.backoff=5ms",
            "posthorn.consumers.notes.isolation=repeatable-read")) {
      app.inTransaction(
          tx -> {
            app.outbox().add(changed("1", "first"));
            app.outbox().add(changed("1", "second"));
          });
      await().untilAsserted(() -> assertThat(letters(app, "orders")).hasSize(2));
      assertThat(SEEN).containsOnly("read committed");

      SEEN.clear();
      app.inTransaction(tx -> app.outbox().add(Messages.noted("today")));
      await().untilAsserted(() -> assertThat(letters(app, "notes")).hasSize(1));
      assertThat(letters(app, "notes"))
          .extracting(DeadLetter::reason, DeadLetter::lastReason, DeadLetter::attempts)
          .containsExactly(tuple("RETRY_EXHAUSTED", "UnsupportedOperationException", 2));
      assertThat(SEEN).containsOnly("repeatable read");
    }
  }

  @Test
  void exceptions_of_a_property_are_never_retried_either() {
    try (App app =
        App.start(
            Shop.class,
            "posthorn.consumers.notes.never-retried=java.lang.UnsupportedOperationException",
            "posthorn.consumers.notes.ignoring=OrderChanged")) {
      app.inTransaction(tx -> app.outbox().add(Messages.noted("today")));

      await().untilAsserted(() -> assertThat(letters(app, "notes")).hasSize(1));
      assertThat(letters(app, "notes").get(0).reason()).isEqualTo("UnsupportedOperationException");
      assertThat(letters(app, "notes").get(0).attempts()).isEqualTo(1);
    }
  }

  @Test
  void mistakes_are_reported_with_the_method_or_the_property() {
    assertThatThrownBy(
            () ->
                App.start(
                    Wrong.class,
                    "posthorn.consumers.notes.batch=0",
                    "posthorn.consumers.notes.start-at=yesterday",
                    "posthorn.consumers.notes.retry.attempts=0",
                    "posthorn.consumers.notes.retry.backoff=-1s"))
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining("consumer 'notes' has the timeLimit 'soon'")
        .hasMessageContaining("Unwanted.note of bean 'unwanted' has the isolation READ_UNCOMMITTED")
        .hasMessageContaining("posthorn.consumers.notes.batch is 0")
        .hasMessageContaining(
            "posthorn.consumers.notes.start-at is 'yesterday': it must be now, earliest, or a time such as 2026-01-01T00:00:00Z")
        .hasMessageContaining("posthorn.consumers.notes.retry.attempts is 0")
        .hasMessageContaining("posthorn.consumers.notes.retry.backoff is PT-1S")
        .hasMessageContaining("6 problems");
  }

  private static List<DeadLetter> letters(App app, String consumer) {
    return app.bean(DeadLetters.class)
        .list(DeadLetterQuery.builder().destination(consumer).build(), null, 10);
  }

  private static DestinationStatus status(App app, String consumer) {
    return app.bean(Steering.class).destinations().stream()
        .filter(one -> one.name().equals(consumer))
        .findFirst()
        .orElseThrow();
  }
}
