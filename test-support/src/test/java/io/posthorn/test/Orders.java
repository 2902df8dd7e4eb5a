package io.posthorn.test;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageType;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.postgresql.PostgresqlStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;

/** The application under test. */
final class Orders {
  record OrderPlaced(String order, int total) {}

  record OrderPaid(String order) {}

  static final MessageTypes TYPES =
      MessageTypes.of(
          MessageType.named("OrderPlaced").from(OrderPlaced.class, "order", OrderPlaced::order),
          MessageType.named("OrderPaid").from(OrderPaid.class, "order", OrderPaid::order));

  private final DataSource dataSource;
  private final Outbox outbox;

  Orders(DataSource dataSource) {
    this.dataSource = dataSource;
    this.outbox = Outbox.on(PostgresqlStore.on(dataSource), TYPES).build();
  }

  void place(String order, int total) throws SQLException {
    add(new OrderPlaced(order, total), message -> message.correlationId("request-7"));
  }

  void placeAndFail(String order) throws SQLException {
    try (Connection tx = dataSource.getConnection()) {
      tx.setAutoCommit(false);
      outbox.add(tx, TYPES.message(new OrderPlaced(order, 1), Orders::write).build());
      tx.rollback();
    }
  }

  void pay(String order) throws SQLException {
    add(new OrderPaid(order), message -> message);
  }

  void remind(String order, Instant at) throws SQLException {
    add(new OrderPaid(order), message -> message.notBefore(at));
  }

  private void add(Object event, UnaryOperator<Message.Builder> more) throws SQLException {
    try (Connection tx = dataSource.getConnection()) {
      tx.setAutoCommit(false);
      outbox.add(tx, more.apply(TYPES.message(event, Orders::write)).build());
      tx.commit();
    }
  }

  // A real program uses its JSON mapper: mapper::writeValueAsBytes and mapper::readValue.
  static byte[] write(Object event) {
    String text =
        event instanceof OrderPlaced placed
            ? "{\"order\":\"%s\",\"total\":%d}".formatted(placed.order(), placed.total())
            : "{\"order\":\"%s\"}".formatted(((OrderPaid) event).order());
    return text.getBytes(UTF_8);
  }

  static Object read(byte[] payload, Class<?> event) {
    String[] parts = new String(payload, UTF_8).split("[\":,{}]+");
    return event == OrderPlaced.class
        ? new OrderPlaced(parts[2], Integer.parseInt(parts[4]))
        : new OrderPaid(parts[2]);
  }
}
