package io.posthorn.spring;

import static io.posthorn.spring.Messages.noted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.testservers.EmbeddedPostgres;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** An application with two databases, one of which has the outbox. */
class SeveralDataSourcesTest {
  private static App app;

  @Configuration
  @EnableAutoConfiguration
  static class Shop {
    @Bean
    @Primary
    DataSource other() {
      return EmbeddedPostgres.shared().dataSource(EmbeddedPostgres.shared().freshDatabase());
    }

    @Bean
    DataSource shop() {
      return EmbeddedPostgres.shared().dataSource(EmbeddedPostgres.shared().freshDatabase());
    }

    @Bean
    @Primary
    JdbcTransactionManager ofOther(DataSource other) {
      return new JdbcTransactionManager(other);
    }

    @Bean
    JdbcTransactionManager ofShop(@Qualifier("shop") DataSource shop) {
      return new JdbcTransactionManager(shop);
    }
  }

  @BeforeAll
  static void start() {
    app = App.start(Shop.class, "posthorn.data-source=shop");
  }

  @AfterAll
  static void stop() {
    app.close();
  }

  @Test
  void a_transaction_of_another_data_source_is_refused() {
    in("ofOther")
        .executeWithoutResult(
            tx ->
                assertThatThrownBy(() -> app.outbox().add(noted("one")))
                    .hasMessageContaining("POSTHORN-003")
                    .hasMessageContaining("is not one of the outbox's DataSource"));
  }

  @Test
  void so_it_is_while_the_right_one_waits_outside() {
    int before = messages();
    in("ofShop")
        .executeWithoutResult(
            outer -> {
              app.outbox().add(noted("one"));
              in("ofOther")
                  .executeWithoutResult(
                      inner ->
                          assertThatThrownBy(() -> app.outbox().add(noted("two")))
                              .hasMessageContaining("is not one of the outbox's DataSource"));
              app.outbox().add(noted("three"));
            });

    assertThat(messages()).isEqualTo(before + 2);
  }

  @Test
  void a_transaction_of_the_outbox_within_another_one_commits_its_messages_itself() {
    int before = messages();
    in("ofOther")
        .executeWithoutResult(
            outer -> {
              in("ofShop").executeWithoutResult(inner -> app.outbox().add(noted("four")));
              outer.setRollbackOnly();
            });

    assertThat(messages()).isEqualTo(before + 1);
  }

  private static TransactionTemplate in(String manager) {
    return new TransactionTemplate(app.bean(manager, JdbcTransactionManager.class));
  }

  private static int messages() {
    return JdbcClient.create(app.bean("shop", DataSource.class))
        .sql("SELECT count(*) FROM posthorn_log")
        .query(Integer.class)
        .single();
  }
}
