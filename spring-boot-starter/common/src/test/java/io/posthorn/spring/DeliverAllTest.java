package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.bus.ApplicationHandlers;
import io.posthorn.core.bus.Handling;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageKey;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.message.OutboxMessage;
import io.posthorn.core.operate.status.StatusStore;
import io.posthorn.test.PosthornTest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.transaction.support.TransactionTemplate;

/** A test of a Spring Boot application, as the guide shows it. */
// guide:boot-test
@SpringBootTest(
    properties = {"posthorn.relay.enabled=false", "posthorn.sources.post.kafka.topics=returns"})
class DeliverAllTest {
  @RegisterExtension
  static final PosthornTest posthorn = PosthornTest.embedded().deliversTo("shipping", "Packed");

  @DynamicPropertySource
  static void database(DynamicPropertyRegistry registry) {
    registry.add("spring.datasource.url", posthorn::jdbcUrl);
  }

  @Autowired
  void handlers(ApplicationHandlers handlers, MessageTypes types) {
    posthorn.types(types).handles(handlers);
  }

  // guide:end

  @OutboxMessage
  record Bought(@MessageKey("order") String order, int total) {}

  @OutboxMessage
  record Packed(@MessageKey("order") String order) {}

  @Configuration
  @EnableAutoConfiguration
  static class Shop {
    @Bean
    Stock stock(JdbcClient jdbc, TransactionalOutbox outbox) {
      return new Stock(jdbc, outbox);
    }
  }

  static class Stock {
    private final JdbcClient jdbc;
    private final TransactionalOutbox outbox;

    Stock(JdbcClient jdbc, TransactionalOutbox outbox) {
      this.jdbc = jdbc;
      this.outbox = outbox;
    }

    @MessageHandler(consumer = "stock", backoff = "1ms")
    void take(Bought bought) {
      jdbc.sql("INSERT INTO taken VALUES (?, ?)").params(bought.order(), bought.total()).update();
      outbox.add(new Packed(bought.order()));
    }

    @MessageHandler(consumer = "returns", type = "Returned", source = "post")
    void takeBack(Message message, Handling handling) {
      jdbc.sql("INSERT INTO taken VALUES (?, 0)").param("back " + handling.sender()).update();
    }
  }

  @Autowired private TransactionalOutbox outbox;
  @Autowired private TransactionTemplate transactions;
  @Autowired private JdbcClient jdbc;
  @Autowired private StatusStore store;

  @BeforeEach
  void emptyTables() {
    jdbc.sql("DROP TABLE IF EXISTS taken").update();
    jdbc.sql("CREATE TABLE taken (what text, total int CHECK (total >= 0))").update();
  }

  private void buy(String order, int total) {
    transactions.executeWithoutResult(tx -> outbox.add(new Bought(order, total)));
  }

  private List<String> taken() {
    return jdbc.sql("SELECT what FROM taken ORDER BY what").query(String.class).list();
  }

  @Test
  void handlers_of_beans_run_when_the_test_says_so() {
    buy("42", 100);
    assertThat(taken()).isEmpty();
    assertThat(store.status().relays()).isEmpty();

    posthorn.deliverAll().withoutProblems();

    assertThat(taken()).containsExactly("42");
    assertThat(posthorn.consumer("stock").handled().messages()).hasSize(1);
    assertThat(posthorn.destination("shipping").received().messages())
        .singleElement()
        .satisfies(packed -> assertThat(packed.type()).isEqualTo("Packed"));
  }

  @Test
  void a_handler_that_fails_is_rolled_back_and_called_again_when_the_test_says_so() {
    buy("43", -1);

    assertThat(posthorn.deliverAll().problems()).anyMatch(problem -> problem.contains("stock"));
    assertThat(taken()).isEmpty();
    assertThat(posthorn.destination("shipping").received().messages()).isEmpty();

    jdbc.sql("ALTER TABLE taken DROP CONSTRAINT taken_total_check").update();
    posthorn.retryAll().withoutProblems();
    assertThat(taken()).containsExactly("43");
  }

  @Test
  void a_consumer_of_a_source_gets_what_the_test_gives_it() {
    posthorn
        .consumer("returns")
        .gets(Message.of("Returned").json("{}".getBytes(StandardCharsets.UTF_8)).build());

    posthorn.deliverAll().withoutProblems();

    assertThat(taken()).containsExactly("back test");
  }

  @Test
  void the_application_s_handlers_fail_for_real_only() {
    assertThatThrownBy(() -> posthorn.consumer("stock").failsNext(1))
        .hasMessageContaining("the application's own handlers");
  }
}
