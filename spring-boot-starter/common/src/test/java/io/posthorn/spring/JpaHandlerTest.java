package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.message.MessageKey;
import io.posthorn.core.message.OutboxMessage;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.spring.JpaTransactionsTest.Order;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Handlers that use Hibernate. */
class JpaHandlerTest {
  private static App app;

  @OutboxMessage
  record Ordered(@MessageKey("order") String order, int total) {}

  @OutboxMessage
  record Shipped(@MessageKey("order") String order) {}

  @Configuration
  @EnableAutoConfiguration
  static class Shop {
    @Bean
    Shipping shipping(TransactionalOutbox outbox) {
      return new Shipping(outbox);
    }
  }

  static class Shipping {
    private final TransactionalOutbox outbox;
    @PersistenceContext EntityManager entities;

    Shipping(TransactionalOutbox outbox) {
      this.outbox = outbox;
    }

    @MessageHandler(consumer = "shipping", attempts = 1)
    void ship(Ordered ordered) {
      outbox.add(new Shipped(ordered.order()));
      entities.persist(new Order(ordered.order(), ordered.total()));
    }
  }

  @BeforeAll
  static void start() {
    app = App.start(Shop.class);
  }

  @AfterAll
  static void stop() {
    app.close();
  }

  @Test
  void of_a_batch_only_the_message_whose_change_cannot_be_flushed_fails() {
    app.inTransaction(
        tx -> {
          for (int i = 1; i <= 5; i++) {
            app.outbox().add(new Ordered("o" + i, i == 3 ? -1 : i));
          }
        });

    await()
        .untilAsserted(
            () ->
                assertThat(
                        app.jdbc()
                            .sql("SELECT id FROM orders ORDER BY id")
                            .query(String.class)
                            .list())
                    .containsExactly("o1", "o2", "o4", "o5"));
    await().untilAsserted(() -> assertThat(deadKeys()).containsExactly("o3"));
    assertThat(
            app.jdbc()
                .sql("SELECT key FROM posthorn_log WHERE type = 'Shipped' ORDER BY key")
                .query(String.class)
                .list())
        .containsExactly("o1", "o2", "o4", "o5");
  }

  private static List<String> deadKeys() {
    return DeadLetters.on(app.bean(OperatorStore.class))
        .list(DeadLetterQuery.waiting(), null, 10)
        .stream()
        .map(letter -> letter.key() == null ? "" : letter.key().id())
        .toList();
  }
}
