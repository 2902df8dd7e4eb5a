package io.posthorn.spring;

import static io.posthorn.spring.Messages.changed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.transaction.TransactionDefinition;

/** The outbox in Hibernate transactions, with the transaction manager that Spring Boot defines. */
class JpaTransactionsTest {
  private static App app;
  private static TransactionalOutbox outbox;
  private static EntityManager entities;

  @Configuration
  @EnableAutoConfiguration
  static class Shop {
    @Bean
    static Statements statements() {
      return new Statements();
    }
  }

  @Entity(name = "Purchase")
  @Table(name = "orders")
  static class Order {
    @Id String id;
    int total;

    protected Order() {}

    Order(String id, int total) {
      this.id = id;
      this.total = total;
    }
  }

  @BeforeAll
  static void start() {
    app = App.start(Shop.class);
    outbox = app.outbox();
    entities =
        SharedEntityManagerCreator.createSharedEntityManager(
            app.bean(JpaTransactionManager.class).getEntityManagerFactory());
  }

  @AfterAll
  static void stop() {
    app.close();
  }

  @BeforeEach
  void oneOrder() {
    app.jdbc().sql("DELETE FROM posthorn_log").update();
    app.jdbc().sql("DELETE FROM orders").update();
    app.jdbc().sql("INSERT INTO orders (id, total) VALUES ('1', 0)").update();
    app.bean(Statements.class).take();
  }

  @Test
  void messages_are_written_after_what_hibernate_flushes() {
    app.inTransaction(
        tx -> {
          outbox.add(changed("1", "to 5"));
          entities.find(Order.class, "1").total = 5;
          entities.persist(new Order("2", 7));
          outbox.add(changed("2", "placed"));
        });

    assertThat(app.bean(Statements.class).take())
        .containsExactly("insert orders", "update orders", "insert public.posthorn_log", "commit");
    assertThat(app.logged()).containsExactly("to 5", "placed");
  }

  @Test
  void the_order_of_messages_of_an_aggregate_is_the_order_of_commits() {
    app.inTransaction(
        first -> {
          entities.find(Order.class, "1").total = 1;
          outbox.add(changed("1", "to 1"));
          app.inTransaction(
              TransactionDefinition.PROPAGATION_REQUIRES_NEW,
              second -> {
                entities.find(Order.class, "1").total = 2;
                outbox.add(changed("1", "to 2"));
              });
        });

    assertThat(total()).isEqualTo(1);
    assertThat(app.logged()).containsExactly("to 2", "to 1");
  }

  @Test
  void a_change_that_cannot_be_flushed_leaves_no_message() {
    assertThatThrownBy(
            () ->
                app.inTransaction(
                    tx -> {
                      entities.find(Order.class, "1").total = -1;
                      outbox.add(changed("1", "to -1"));
                    }))
        .hasStackTraceContaining("orders_total_check");

    assertThat(app.logged()).isEmpty();
    assertThat(total()).isZero();
  }

  @Test
  void a_rollback_takes_the_message_with_it() {
    app.inTransaction(
        tx -> {
          entities.find(Order.class, "1").total = 5;
          outbox.add(changed("1", "to 5"));
          tx.setRollbackOnly();
        });

    assertThat(app.logged()).isEmpty();
    assertThat(total()).isZero();
  }

  @Test
  void statements_by_jdbc_and_by_hibernate_are_one_transaction_with_the_message() {
    app.inTransaction(
        tx -> {
          app.jdbc().sql("UPDATE orders SET total = 9 WHERE id = '1'").update();
          outbox.add(changed("1", "to 9"));
        });

    assertThat(app.logged()).containsExactly("to 9");
    assertThat(total()).isEqualTo(9);
  }

  private static int total() {
    return app.jdbc().sql("SELECT total FROM orders WHERE id = '1'").query(Integer.class).single();
  }
}
