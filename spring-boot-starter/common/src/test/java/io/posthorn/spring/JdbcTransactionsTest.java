package io.posthorn.spring;

import static io.posthorn.spring.Messages.noted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageKey;
import io.posthorn.core.outbox.Outbox;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The outbox in plain JDBC transactions, with a transaction manager that the application defines.
 */
class JdbcTransactionsTest {
  private static App app;
  private static TransactionalOutbox outbox;

  @Configuration
  @EnableAutoConfiguration
  static class Shop {
    @Bean
    JdbcTransactionManager transactionManager(DataSource dataSource) {
      return new JdbcTransactionManager(dataSource);
    }

    @Bean
    static Statements statements() {
      return new Statements();
    }
  }

  @BeforeAll
  static void start() {
    app = App.start(Shop.class);
    outbox = app.outbox();
  }

  @AfterAll
  static void stop() {
    app.close();
  }

  @BeforeEach
  void empty() {
    app.jdbc().sql("DELETE FROM posthorn_log").update();
    app.jdbc().sql("DELETE FROM orders").update();
    app.bean(Statements.class).take();
  }

  @Test
  void a_message_is_committed_together_with_the_change() {
    app.inTransaction(
        tx -> {
          insertOrder("1");
          outbox.add(noted("one"));
          assertThat(orders()).isEqualTo(1);
        });

    assertThat(app.logged()).containsExactly("one");
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void a_message_of_a_rolled_back_transaction_never_existed() {
    app.inTransaction(
        tx -> {
          insertOrder("1");
          outbox.add(noted("one"));
          tx.setRollbackOnly();
        });

    assertThat(app.logged()).isEmpty();
    assertThat(orders()).isZero();
  }

  @Test
  void all_messages_of_a_transaction_are_one_statement_in_their_order() {
    app.inTransaction(
        tx -> {
          outbox.add(noted("one"));
          insertOrder("1");
          outbox.add(noted("two"));
          outbox.add(noted("three"));
        });

    assertThat(app.bean(Statements.class).take())
        .containsExactly("insert orders", "insert public.posthorn_log", "commit");
    assertThat(app.logged()).containsExactly("one", "two", "three");
  }

  @Test
  void without_a_transaction_adding_fails_at_once() {
    assertThatThrownBy(() -> outbox.add(noted("one")))
        .isInstanceOf(PosthornException.class)
        .hasMessageStartingWith(
            "POSTHORN-003: message 'Noted' was not added: no transaction is running in this thread");
  }

  @Test
  void in_a_read_only_transaction_adding_fails_at_once() {
    TransactionTemplate reading = new TransactionTemplate(app.bean(JdbcTransactionManager.class));
    reading.setReadOnly(true);

    reading.executeWithoutResult(
        tx ->
            assertThatThrownBy(() -> outbox.add(noted("one")))
                .hasMessageContaining("POSTHORN-003")
                .hasMessageContaining("read-only"));
  }

  @Test
  void what_is_outside_the_transaction_while_it_is_suspended_cannot_add() {
    app.inTransaction(
        tx -> {
          outbox.add(noted("one"));
          app.inTransaction(
              TransactionDefinition.PROPAGATION_NOT_SUPPORTED,
              none ->
                  assertThatThrownBy(() -> outbox.add(noted("two")))
                      .hasMessageContaining("no transaction is running"));
          outbox.add(noted("three"));
        });

    assertThat(app.logged()).containsExactly("one", "three");
  }

  @Test
  void a_new_transaction_commits_its_own_messages_only() {
    app.inTransaction(
        outer -> {
          outbox.add(noted("outer"));
          app.inTransaction(
              TransactionDefinition.PROPAGATION_REQUIRES_NEW, inner -> outbox.add(noted("inner")));
          assertThat(app.logged()).containsExactly("inner");
          outer.setRollbackOnly();
        });

    assertThat(app.logged()).containsExactly("inner");
  }

  @Test
  void a_nested_transaction_that_is_rolled_back_takes_its_messages_with_it() {
    app.inTransaction(
        outer -> {
          outbox.add(noted("before"));
          app.inTransaction(
              TransactionDefinition.PROPAGATION_NESTED,
              nested -> {
                insertOrder("1");
                outbox.add(noted("nested"));
                nested.setRollbackOnly();
              });
          outbox.add(noted("after"));
          app.inTransaction(
              TransactionDefinition.PROPAGATION_NESTED, nested -> outbox.add(noted("kept")));
        });

    assertThat(app.logged()).containsExactly("before", "after", "kept");
    assertThat(orders()).isZero();
  }

  @Test
  void what_is_added_while_others_prepare_the_commit_goes_with_it() {
    app.inTransaction(
        tx ->
            TransactionSynchronizationManager.registerSynchronization(
                new TransactionSynchronization() {
                  @Override
                  public void beforeCommit(boolean readOnly) {
                    outbox.add(noted("last"));
                  }
                }));

    assertThat(app.logged()).containsExactly("last");
  }

  @Test
  void after_the_commit_adding_fails_instead_of_being_lost() {
    assertThatThrownBy(
            () ->
                app.inTransaction(
                    tx ->
                        TransactionSynchronizationManager.registerSynchronization(
                            new TransactionSynchronization() {
                              @Override
                              public void afterCommit() {
                                outbox.add(noted("late"));
                              }
                            })))
        .hasMessageContaining("the transaction is over or being committed");
    assertThat(app.logged()).isEmpty();
  }

  @Test
  void what_is_wrong_with_a_message_is_said_when_it_is_added() {
    app.inTransaction(
        tx ->
            assertThatThrownBy(() -> outbox.add(Message.of("Unheard").build()))
                .hasMessageContaining("POSTHORN-001"));
  }

  @Test
  void what_the_database_says_against_it_appears_at_the_commit_and_rolls_back() {
    UUID id = UUID.randomUUID();
    Message twice = Message.of("Noted").id(id).build();
    app.inTransaction(tx -> outbox.add(twice));

    assertThatThrownBy(
            () ->
                app.inTransaction(
                    tx -> {
                      insertOrder("1");
                      outbox.add(twice);
                    }))
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining("POSTHORN-006");
    assertThat(orders()).isZero();
    assertThat(app.logged()).hasSize(1);
  }

  @Test
  void relays_are_woken_after_the_commit_and_only_if_there_is_something_to_deliver() {
    Committed committed = new Committed();
    app.bean(Outbox.class).listen(committed);
    try {
      app.inTransaction(
          tx -> {
            outbox.add(noted("one"));
            assertThat(committed.times).hasValue(0);
          });
      assertThat(committed.times).hasValue(1);
      assertThat(committed.logged).containsExactly("one");
      app.inTransaction(tx -> insertOrder("1"));
      app.inTransaction(
          tx -> {
            outbox.add(noted("two"));
            tx.setRollbackOnly();
          });
      assertThat(committed.times).hasValue(1);
    } finally {
      app.bean(Outbox.class).unlisten(committed);
    }
  }

  @Test
  void an_ordered_add_locks_the_key_first() {
    app.inTransaction(tx -> outbox.addOrdered(Messages.changed("7", "ordered")));

    assertThat(app.bean(Statements.class).take())
        .containsExactly("lock keys", "insert public.posthorn_log", "commit");
    assertThat(app.logged()).containsExactly("ordered");
  }

  @Test
  void an_event_that_is_completed_can_be_added_in_order_too() {
    app.inTransaction(tx -> outbox.message(new Moved("7")).header("tenant", "north").addOrdered());

    assertThat(app.bean(Statements.class).take())
        .containsExactly("lock keys", "insert public.posthorn_log", "commit");
  }

  record Moved(@MessageKey("order") String order) {}

  private static final class Committed implements Outbox.Listener {
    private final AtomicInteger times = new AtomicInteger();
    private List<String> logged = List.of();

    @Override
    public void added() {}

    @Override
    public void committed() {
      times.incrementAndGet();
      logged = app.logged();
    }
  }

  private static void insertOrder(String id) {
    app.jdbc().sql("INSERT INTO orders (id, total) VALUES (?, 1)").param(id).update();
  }

  private static int orders() {
    return app.jdbc().sql("SELECT count(*) FROM orders").query(Integer.class).single();
  }
}
