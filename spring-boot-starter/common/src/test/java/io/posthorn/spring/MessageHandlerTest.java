package io.posthorn.spring;

import static io.posthorn.spring.Messages.changed;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.bus.Handling;
import io.posthorn.core.bus.Mode;
import io.posthorn.core.connector.RejectedException;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Headers;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageKey;
import io.posthorn.core.message.OutboxMessage;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.testkit.MemorySource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.EmptyResultDataAccessException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Bean methods that handle messages, with the transaction manager that Spring Boot defines. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MessageHandlerTest {
  /** What a method does when it is called with this order for the first time. */
  private static final Map<String, Consumer<Handling>> DOES = new ConcurrentHashMap<>();

  private static final List<String> SEEN = new CopyOnWriteArrayList<>();
  private static App app;

  @OutboxMessage
  record Bought(@MessageKey("order") String order, int total) {}

  @OutboxMessage
  record Packed(@MessageKey("order") String order) {}

  /** An event of another system; not registered here. */
  record Price(String product, int price) {}

  /** Published in a handler. */
  record BeforeCommit(RuntimeException failure) {}

  @Configuration
  @EnableAutoConfiguration
  static class Shop {
    @Bean
    MemorySource prices() {
      return new MemorySource(1, 1).withoutSequences();
    }

    @Bean
    MemorySource returns() {
      return new MemorySource(1, 1);
    }

    @Bean
    Stock stock(JdbcClient jdbc, Orders orders, TransactionalOutbox outbox) {
      return new Stock(jdbc, orders, outbox);
    }

    @Bean
    Returned returned(JdbcClient jdbc) {
      return new Returned(jdbc);
    }

    @Bean
    Orders orders(JdbcClient jdbc) {
      return new Orders(jdbc);
    }

    @Bean
    Listeners listeners() {
      return new Listeners();
    }
  }

  static class Stock {
    private final JdbcClient jdbc;
    private final Orders orders;
    private final TransactionalOutbox outbox;

    Stock(JdbcClient jdbc, Orders orders, TransactionalOutbox outbox) {
      this.jdbc = jdbc;
      this.orders = orders;
      this.outbox = outbox;
    }

    @MessageHandler(consumer = "stock", attempts = 3, backoff = "10ms")
    void take(Bought bought, Handling handling) {
      SEEN.add(bought.order());
      jdbc.sql("INSERT INTO orders VALUES (?, ?)").params(bought.order(), bought.total()).update();
      outbox.add(new Packed(bought.order()));
      Consumer<Handling> does = DOES.remove(bought.order());
      if (does != null) {
        does.accept(handling);
      }
    }

    @MessageHandler(consumer = "audit", type = "OrderChanged")
    void note(Handling handling, byte[] payload, Connection tx, Message message) {
      SEEN.add(
          "%s %s %s %s"
              .formatted(
                  new String(payload, UTF_8),
                  message.type(),
                  handling.attempt(),
                  tx == handling.connection()));
    }

    @MessageHandler(
        consumer = "prices",
        type = "PriceChanged",
        source = "prices",
        latestWins = true)
    void price(Message message, Price price) {
      orders.put(price.product(), price.price());
      SEEN.add(price.product() + " " + price.price());
    }
  }

  static class Returned {
    private final JdbcClient jdbc;

    Returned(JdbcClient jdbc) {
      this.jdbc = jdbc;
    }

    @MessageHandler(
        consumer = "returned",
        type = "OrderReturned",
        source = "returns",
        mode = Mode.DURABLE,
        backoff = "10ms")
    void takeBack(Message message, Handling handling) {
      String order = Objects.requireNonNull(message.key()).id();
      SEEN.add(order + " stored before: " + waiting("returned"));
      if (handling.attempt() == 1) {
        throw new IllegalStateException("nobody is at the desk");
      }
      jdbc.sql("INSERT INTO orders VALUES (?, 0)").param(order).update();
    }
  }

  static class Orders {
    private final JdbcClient jdbc;

    Orders(JdbcClient jdbc) {
      this.jdbc = jdbc;
    }

    void put(String id, int total) {
      jdbc.sql("INSERT INTO orders VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET total = ?")
          .params(id, total, total)
          .update();
    }

    @Transactional
    public void fail() {
      throw new IllegalStateException("no such order");
    }
  }

  static class Listeners {
    @TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
    public void before(BeforeCommit event) {
      throw event.failure();
    }
  }

  static class FailsAfter implements TransactionSynchronization {
    @Override
    public void afterCommit() {
      throw new IllegalStateException("too late");
    }
  }

  /** The application class, which determines the transaction manager. */
  Class<?> shop() {
    return Shop.class;
  }

  static App app() {
    return app;
  }

  @BeforeAll
  void start() {
    app = App.start(shop());
  }

  @AfterAll
  static void stop() {
    app.close();
  }

  @BeforeEach
  void empty() {
    DOES.clear();
    SEEN.clear();
    app.jdbc().sql("DELETE FROM orders").update();
  }

  /** Sets what the first call does. */
  private static void does(String order, Consumer<Handling> call) {
    DOES.put(order, call);
  }

  private static void buy(String order) {
    app.inTransaction(tx -> app.outbox().add(new Bought(order, 7)));
  }

  @Test
  void what_a_handler_writes_and_adds_is_committed_with_the_receipt() {
    buy("a");

    await().untilAsserted(() -> assertThat(packed("a")).hasSize(1));
    assertThat(total("a")).isEqualTo(7);
    assertThat(receipts("stock", "a")).isEqualTo(1);
  }

  @Test
  void what_is_added_in_a_handler_follows_from_the_message() {
    buy("following");

    await().untilAsserted(() -> assertThat(packed("following")).hasSize(1));
    String cause =
        app.jdbc()
            .sql("SELECT id::text FROM posthorn_log WHERE type = 'Bought' AND key = 'following'")
            .query(String.class)
            .single();
    assertThat(packed("following").get(0))
        .contains("\"" + Headers.CAUSATION_ID + "\": \"" + cause + "\"")
        .contains("\"" + Headers.CORRELATION_ID + "\": \"" + cause + "\"");
  }

  @Test
  void what_is_added_in_order_in_a_handler_waits_for_the_lock_of_its_key() {
    does("in-order", handling -> handling.message(new Packed("in-order")).addOrdered());
    app.inTransaction(
        tx -> {
          app.jdbc().sql("SELECT posthorn_lock_keys(ARRAY['order/in-order'])").query().listOfRows();
          app.inTransaction(
              TransactionDefinition.PROPAGATION_REQUIRES_NEW, other -> buy("in-order"));
          await()
              .until(
                  () ->
                      app.jdbc()
                              .sql(
                                  "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
                              .query(Integer.class)
                              .single()
                          == 1);
        });
    await().untilAsserted(() -> assertThat(packed("in-order")).hasSize(2));
  }

  @Test
  void what_is_added_to_the_outbox_and_to_the_handling_keeps_the_order_of_adding() {
    does(
        "j",
        handling -> {
          handling.add(noted("j"));
          app.outbox().add(changed("j", "1"));
          handling.add(noted("j"));
        });
    buy("j");

    await().untilAsserted(() -> assertThat(logged("j")).hasSize(5));
    assertThat(logged("j")).containsExactly("Bought", "Packed", "Noted", "OrderChanged", "Noted");
  }

  @Test
  void an_event_that_is_published_by_the_handling_has_its_key_and_follows_from_the_message() {
    does("o", handling -> handling.publish(new Packed("o")));
    buy("o");

    await().untilAsserted(() -> assertThat(packed("o")).hasSize(2));
    assertThat(packed("o").get(1)).contains(Headers.CAUSATION_ID, Headers.CORRELATION_ID);
  }

  @Test
  void what_is_added_to_the_handling_inside_another_transaction_is_not_committed_with_that_one() {
    does(
        "k",
        handling -> {
          app.inTransaction(
              TransactionDefinition.PROPAGATION_REQUIRES_NEW, tx -> handling.add(noted("k")));
          throw new IllegalStateException("the stock is closed");
        });
    does(
        "l",
        handling ->
            app.inTransaction(
                TransactionDefinition.PROPAGATION_REQUIRES_NEW, tx -> handling.add(noted("l"))));
    buy("k");
    buy("l");

    await().untilAsserted(() -> assertThat(packed("k")).hasSize(1));
    assertThat(logged("k")).containsExactly("Bought", "Packed");
    await()
        .untilAsserted(() -> assertThat(logged("l")).containsExactly("Bought", "Packed", "Noted"));
  }

  @Test
  void a_rollback_to_a_savepoint_of_the_handler_takes_what_was_added_since() {
    does(
        "m",
        handling -> {
          Connection tx = handling.connection();
          try {
            Savepoint before = tx.setSavepoint();
            handling.add(noted("m"));
            tx.rollback(before);
          } catch (SQLException e) {
            throw new IllegalStateException(e);
          }
        });
    buy("m");

    await().untilAsserted(() -> assertThat(packed("m")).hasSize(1));
    assertThat(logged("m")).containsExactly("Bought", "Packed");
  }

  @Test
  void nothing_can_be_added_to_a_handling_that_is_over() {
    AtomicReference<Handling> kept = new AtomicReference<>();
    does("n", kept::set);
    buy("n");

    await().untilAsserted(() -> assertThat(packed("n")).hasSize(1));
    assertThatThrownBy(() -> kept.get().add(noted("n"))).isInstanceOf(PosthornException.class);
  }

  @Test
  void a_handler_that_fails_leaves_nothing_and_is_tried_again() {
    does(
        "b",
        handling -> {
          throw new IllegalStateException("the stock is closed");
        });
    buy("b");

    await().untilAsserted(() -> assertThat(packed("b")).hasSize(1));
    assertThat(SEEN).containsExactly("b", "b");
    assertThat(total("b")).isEqualTo(7);
  }

  @Test
  void a_message_that_a_handler_rejects_is_a_dead_letter_at_once() {
    does(
        "c",
        handling -> {
          throw new RejectedException("SOLD_OUT", "none is left");
        });
    buy("c");

    await().untilAsserted(() -> assertThat(letter("c").reason()).isEqualTo("SOLD_OUT"));
    assertThat(SEEN).containsExactly("c");
    assertThat(packed("c")).isEmpty();
  }

  @Test
  void a_message_is_not_lost_if_something_inside_marked_the_transaction_for_rollback() {
    does("d", handling -> swallow(() -> app.bean(Orders.class).fail()));
    buy("d");

    await().untilAsserted(() -> assertThat(packed("d")).hasSize(1));
    assertThat(SEEN).containsExactly("d", "d");
  }

  @Test
  void what_fails_right_before_the_commit_is_the_messages_failure() {
    failsBeforeTheCommit("e", new RejectedException("NOT_NOW", "e"));
    buy("e");
    buy("f");

    await().untilAsserted(() -> assertThat(letter("e").reason()).isEqualTo("NOT_NOW"));
    await().untilAsserted(() -> assertThat(packed("f")).hasSize(1));
    assertThat(packed("e")).isEmpty();
  }

  @Test
  void an_error_of_the_database_right_before_the_commit_too() {
    failsBeforeTheCommit(
        "o",
        new BadSqlGrammarException(
            "counting", "SELECT", new SQLException("there is no such table", "42P01")));
    buy("o");
    buy("p");

    await().untilAsserted(() -> assertThat(letter("o").reason()).isEqualTo("RETRY_EXHAUSTED"));
    await().untilAsserted(() -> assertThat(packed("p")).hasSize(1));
    assertThat(packed("o")).isEmpty();
  }

  /** Lets every handling of this order fail. */
  private static void failsBeforeTheCommit(String order, RuntimeException failure) {
    does(
        order,
        new Consumer<>() {
          @Override
          public void accept(Handling handling) {
            does(order, this);
            app.context().publishEvent(new BeforeCommit(failure));
          }
        });
  }

  @Test
  void what_fails_after_the_commit_does_not_repeat_the_message() {
    does(
        "g",
        handling -> TransactionSynchronizationManager.registerSynchronization(new FailsAfter()));
    buy("g");
    await().untilAsserted(() -> assertThat(packed("g")).hasSize(1));
    buy("h");
    await().untilAsserted(() -> assertThat(packed("h")).hasSize(1));

    assertThat(SEEN).containsExactly("g", "h");
    assertThat(waiting("stock")).isZero();
  }

  @Test
  void a_connection_that_breaks_under_a_handler_is_nobodys_fault() {
    does("i", handling -> killConnection(handling.connection()));
    buy("i");

    await().untilAsserted(() -> assertThat(packed("i")).hasSize(1));
    assertThat(SEEN).containsExactly("i", "i");
  }

  @Test
  void a_handler_takes_what_it_wants_in_any_order() {
    app.inTransaction(tx -> app.outbox().add(changed("1", "\"paid\"")));

    await().untilAsserted(() -> assertThat(SEEN).containsExactly("\"paid\" OrderChanged 1 true"));
  }

  @Test
  void messages_of_a_source_are_handled_once_in_effect_and_the_latest_wins() {
    MemorySource prices = app.bean("prices", MemorySource.class);
    Message young = price("p", 6).withSequence(2);
    prices.publish(young, young, price("p", 5).withSequence(1), price("q", 1).withSequence(3));

    await().untilAsserted(() -> assertThat(SEEN).contains("q 1"));
    assertThat(SEEN).containsExactly("p 6", "q 1");
    // They are seen before the commit.
    await()
        .ignoreExceptionsInstanceOf(EmptyResultDataAccessException.class)
        .untilAsserted(() -> assertThat(total("p")).isEqualTo(6));
  }

  @Test
  void a_durable_handler_gets_what_is_stored_and_acknowledged_and_handles_it_once_in_effect() {
    MemorySource returns = app.bean("returns", MemorySource.class);
    Message message = Message.of("OrderReturned").key("order", "r").build();
    returns.publish(message, message);

    // Nothing waits before the first message is stored, either.
    await()
        .untilAsserted(
            () -> assertThat(SEEN).containsExactly("r stored before: 1", "r stored before: 1"));
    await().untilAsserted(() -> assertThat(waiting("returned")).isZero());
    await().untilAsserted(() -> assertThat(returns.unacknowledged("returned")).isZero());
    assertThat(total("r")).isZero();
  }

  private static Message price(String product, int price) {
    return Message.of("PriceChanged")
        .key("product", product)
        .json("{\"product\":\"%s\",\"price\":%d}".formatted(product, price).getBytes(UTF_8))
        .build();
  }

  private static void swallow(Runnable work) {
    try {
      work.run();
    } catch (RuntimeException e) {
      assertThat(e).hasMessage("no such order");
    }
  }

  private static void killConnection(Connection tx) {
    try (Statement statement = tx.createStatement()) {
      statement.execute("SELECT pg_terminate_backend(pg_backend_pid())");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns the headers of the messages that were sent on for this order. */
  private static List<String> packed(String order) {
    return app.jdbc()
        .sql("SELECT headers::text FROM posthorn_log WHERE type = 'Packed' AND key = ?")
        .param(order)
        .query(String.class)
        .list();
  }

  private static Message.Builder noted(String order) {
    return Message.of("Noted").key("order", order);
  }

  /** Returns the types of the messages added for this order, in the order of the log. */
  private static List<String> logged(String order) {
    return app.jdbc()
        .sql("SELECT type FROM posthorn_log WHERE key = ? ORDER BY seq")
        .param(order)
        .query(String.class)
        .list();
  }

  private static int total(String order) {
    return app.jdbc()
        .sql("SELECT total FROM orders WHERE id = ?")
        .param(order)
        .query(Integer.class)
        .single();
  }

  private static long receipts(String consumer, String order) {
    return app.jdbc()
        .sql(
            """
            SELECT count(*)
              FROM posthorn_receipt r
              JOIN posthorn_log l ON l.id = r.id
             WHERE r.consumer = ?
               AND l.key = ?
            """)
        .params(consumer, order)
        .query(Long.class)
        .single();
  }

  private static long waiting(String consumer) {
    return app.jdbc()
        .sql("SELECT count(*) FROM posthorn_parked WHERE destination = ?")
        .param(consumer)
        .query(Long.class)
        .single();
  }

  private static DeadLetter letter(String order) {
    List<DeadLetter> letters =
        DeadLetters.on(app.bean(OperatorStore.class))
            .list(DeadLetterQuery.builder().key(order).build(), null, 10);
    assertThat(letters).hasSize(1);
    return letters.get(0);
  }
}
