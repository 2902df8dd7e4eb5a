package io.posthorn.spring;

import static io.posthorn.spring.Messages.changed;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.ibatis.annotations.Insert;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.mybatis.spring.SqlSessionFactoryBean;
import org.mybatis.spring.SqlSessionTemplate;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** Any library that gets its connections from Spring shares a transaction with the outbox. */
class OtherMappersTest {
  private static App app;

  @Configuration
  @EnableAutoConfiguration
  static class Shop {
    @Bean
    JdbcTransactionManager transactionManager(DataSource dataSource) {
      return new JdbcTransactionManager(dataSource);
    }

    @Bean
    DSLContext jooq(DataSource dataSource) {
      return DSL.using(new TransactionAwareDataSourceProxy(dataSource), SQLDialect.POSTGRES);
    }

    @Bean
    SqlSessionTemplate myBatis(DataSource dataSource) throws Exception {
      var configuration = new org.apache.ibatis.session.Configuration();
      configuration.addMapper(Orders.class);
      SqlSessionFactoryBean factory = new SqlSessionFactoryBean();
      factory.setDataSource(dataSource);
      factory.setConfiguration(configuration);
      return new SqlSessionTemplate(factory.getObject());
    }
  }

  interface Orders {
    @Insert("INSERT INTO orders (id, total) VALUES (#{id}, 1)")
    void insert(String id);
  }

  /** Inserts an order with this id. */
  interface Inserting extends Consumer<String> {}

  static Stream<Inserting> mappers() {
    return Stream.of(
        id -> app.bean(SqlSessionTemplate.class).getMapper(Orders.class).insert(id),
        id -> app.bean("jooq", DSLContext.class).execute("INSERT INTO orders VALUES (?, 1)", id));
  }

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
    app.jdbc().sql("DELETE FROM orders").update();
  }

  @ParameterizedTest
  @MethodSource("mappers")
  void change_and_message_are_committed_together(Inserting mapper) {
    app.inTransaction(
        tx -> {
          mapper.accept("1");
          app.outbox().add(changed("1", "placed"));
        });

    assertThat(orders()).isEqualTo(1);
    assertThat(app.logged()).containsExactly("placed");
  }

  @ParameterizedTest
  @MethodSource("mappers")
  void and_rolled_back_together(Inserting mapper) {
    app.inTransaction(
        tx -> {
          mapper.accept("1");
          app.outbox().add(changed("1", "placed"));
          tx.setRollbackOnly();
        });

    assertThat(orders()).isZero();
    assertThat(app.logged()).isEmpty();
  }

  private static int orders() {
    return app.jdbc().sql("SELECT count(*) FROM orders").query(Integer.class).single();
  }
}
