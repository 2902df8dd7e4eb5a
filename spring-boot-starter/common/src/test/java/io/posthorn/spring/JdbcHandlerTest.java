package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;

import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** Handlers keep the same promises with the transaction manager of plain JDBC. */
class JdbcHandlerTest extends MessageHandlerTest {
  @Configuration
  static class JdbcShop extends Shop {
    @Bean
    JdbcTransactionManager transactionManager(DataSource dataSource) {
      return new JdbcTransactionManager(dataSource);
    }
  }

  @Override
  Class<?> shop() {
    return JdbcShop.class;
  }

  @Test
  void there_is_no_other_transaction_manager() {
    assertThat(app().context().getBeansOfType(PlatformTransactionManager.class).values())
        .singleElement()
        .isInstanceOf(JdbcTransactionManager.class);
  }
}
