package io.posthorn.test;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.bus.Handling;
import io.posthorn.core.message.Message;
import io.posthorn.test.Orders.OrderPaid;
import io.posthorn.test.Orders.OrderPlaced;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests of an application that handles messages, as the guide shows them. */
class ConsumersTest {
  // guide:consumers
  @RegisterExtension
  static final PosthornTest posthorn =
      PosthornTest.embedded()
          .types(Orders.TYPES)
          .payloads(Orders::write, Orders::read) // mapper::writeValueAsBytes, mapper::readValue
          .handles("stock", stock -> stock.on(OrderPlaced.class, ConsumersTest::take))
          .handles("books", books -> books.on("Paid", ConsumersTest::book).fromBroker());

  // guide:end

  final Orders orders = new Orders(posthorn.dataSource());

  private static void take(OrderPlaced placed, Handling handling) throws SQLException {
    execute(handling.connection(), "INSERT INTO taken VALUES ('%s')".formatted(placed.order()));
    handling.publish(new OrderPaid(placed.order()));
  }

  private static void book(Message paid, Handling handling) throws SQLException {
    execute(handling.connection(), "INSERT INTO taken VALUES ('booked')");
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @BeforeAll
  static void tables() throws SQLException {
    try (Connection connection = posthorn.dataSource().getConnection()) {
      execute(connection, "CREATE TABLE taken (what text)");
    }
  }

  @BeforeEach
  void emptyTables() throws SQLException {
    try (Connection connection = posthorn.dataSource().getConnection()) {
      execute(connection, "DELETE FROM taken");
    }
  }

  private static int taken() throws SQLException {
    try (Connection connection = posthorn.dataSource().getConnection();
        Statement statement = connection.createStatement();
        var rows = statement.executeQuery("SELECT count(*) FROM taken")) {
      rows.next();
      return rows.getInt(1);
    }
  }

  // guide:handled
  @Test
  void an_order_is_taken_from_stock_and_published() throws SQLException {
    orders.place("42", 100);

    posthorn.deliverAll();

    assertThat(posthorn.consumer("stock").handled()).holdsOne(OrderPlaced.class).withKey("42");
    assertThat(posthorn.outbox()).holdsOne(OrderPaid.class).withKey("42");
    assertThat(taken()).isEqualTo(1);
  }

  @Test
  void a_handler_that_fails_twice_leaves_nothing_and_succeeds_at_the_third_attempt()
      throws SQLException {
    orders.place("42", 100);
    posthorn.consumer("stock").failsNext(2);

    posthorn.deliverAll(); // the first attempt
    posthorn.retryAll(); // the second, as if the backoff were over
    assertThat(posthorn.consumer("stock").handled()).holdsNothing();
    assertThat(taken()).isZero();

    posthorn.retryAll();
    assertThat(posthorn.outbox()).holdsOne(OrderPlaced.class).isSentTo("stock");
    assertThat(taken()).isEqualTo(1);
  }

  @Test
  void what_the_broker_delivers_twice_is_handled_once() throws SQLException {
    Message paid = Message.of("Paid").key("order", "42").json("{}".getBytes(UTF_8)).build();
    posthorn.consumer("books").gets(paid, paid);

    posthorn.deliverAll().withoutProblems();

    assertThat(posthorn.consumer("books").handled()).holdsOne("Paid").withKey("42");
    assertThat(taken()).isEqualTo(1);
  }

  // guide:end

  @Test
  void what_a_handler_rejects_is_a_dead_letter() throws SQLException {
    orders.place("42", 100);
    posthorn.consumer("stock").rejectsNext(1);

    assertThat(posthorn.deliverAll().problems()).anyMatch(line -> line.contains("is dead"));

    assertThat(posthorn.outbox()).holdsOne(OrderPlaced.class).isDeadAt("stock");
    assertThat(taken()).isZero();
  }

  @Test
  void a_handler_of_the_brokers_messages_is_tried_again_when_the_test_says_so()
      throws SQLException {
    Message paid = Message.of("Paid").json("{}".getBytes(UTF_8)).build();
    posthorn.consumer("books").gets(paid).failsNext(1);

    assertThat(posthorn.deliverAll().problems()).anyMatch(line -> line.contains("failed"));
    assertThat(posthorn.consumer("books").handled()).holdsNothing();

    posthorn.retryAll().withoutProblems();
    assertThat(posthorn.consumer("books").handled()).holds(1);
  }

  @Test
  void each_test_begins_with_consumers_that_know_nothing() throws SQLException {
    orders.place("42", 100);
    posthorn.deliverAll();
    posthorn.consumer("stock").failsNext(1);
    posthorn.reset();

    assertThat(posthorn.consumer("stock").handled()).holdsNothing();
    orders.place("43", 100);
    posthorn.deliverAll();
    assertThat(posthorn.consumer("stock").handled()).holds(1);
  }

  @Test
  void a_consumer_of_the_log_gets_nothing_from_a_broker() {
    Message paid = Message.of("Paid").build();
    assertThatThrownBy(() -> posthorn.consumer("stock").gets(paid))
        .hasMessageContaining("call fromBroker()");
    assertThatThrownBy(() -> posthorn.consumer("sock")).hasMessageContaining("[stock, books]");
  }
}
