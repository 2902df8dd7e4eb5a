package io.posthorn.examples.quickstart;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.bus.Bus;
import io.posthorn.core.connector.RejectedException;
import io.posthorn.core.message.MessageType;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Relay;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.Tables;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * Takes orders and packs them: the stock is a consumer of its own, which changes its tables and
 * sends on in one transaction. With a source of a broker, it could be another service.
 */
public final class Ordering implements AutoCloseable {
  record OrderPlaced(String order, String article) {}

  record OrderPacked(String order, String article) {}

  private final DataSource dataSource;
  private final Bus bus;

  public Ordering(DataSource dataSource) {
    this.dataSource = dataSource;
    new Migrations(Tables.DEFAULT).migrate(dataSource);
    var store = PostgresqlStore.on(dataSource);
    var types =
        MessageTypes.of(
            MessageType.named("OrderPlaced").from(OrderPlaced.class, "Order", OrderPlaced::order),
            MessageType.named("OrderPacked").from(OrderPacked.class, "Order", OrderPacked::order));
    this.bus =
        Bus.on(store, dataSource, Outbox.on(store, types).build(), types)
            .payloads(Ordering::write, Ordering::read)
            .relay(Relay.on(store, "ordering", "production"))
            .build();
    bus.subscribe(
        "stock",
        OrderPlaced.class,
        (placed, handling) -> {
          take(handling.connection(), placed.article());
          handling.publish(new OrderPacked(placed.order(), placed.article()));
        });
    bus.subscribe(
        "orders",
        OrderPacked.class,
        (packed, handling) -> set(handling.connection(), packed.order(), "packed"));
    bus.start();
  }

  /** Stores the order and the event in one transaction: both, or neither. */
  public void place(String order, String article) throws SQLException {
    try (Connection tx = dataSource.getConnection()) {
      tx.setAutoCommit(false);
      set(tx, order, "placed");
      bus.publish(tx, new OrderPlaced(order, article));
      tx.commit();
    }
  }

  private static void take(Connection tx, String article) throws SQLException {
    try (var update =
        tx.prepareStatement(
            "UPDATE stock SET pieces = pieces - 1 WHERE article = ? AND pieces > 0")) {
      update.setString(1, article);
      if (update.executeUpdate() == 0) {
        throw new RejectedException("OUT_OF_STOCK", "no " + article + " is left");
      }
    }
  }

  private static void set(Connection tx, String order, String state) throws SQLException {
    try (var insert =
        tx.prepareStatement(
            "INSERT INTO app_order (id, state) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET state = excluded.state")) {
      insert.setString(1, order);
      insert.setString(2, state);
      insert.executeUpdate();
    }
  }

  // A real program has a JSON mapper: mapper::writeValueAsBytes and mapper::readValue.
  private static byte[] write(Object event) {
    String text =
        event instanceof OrderPlaced placed
            ? placed.order + "," + placed.article
            : ((OrderPacked) event).order + "," + ((OrderPacked) event).article;
    return text.getBytes(UTF_8);
  }

  private static Object read(byte[] payload, Class<?> event) {
    String text = new String(payload, UTF_8);
    String order = text.substring(0, text.indexOf(','));
    String article = text.substring(text.indexOf(',') + 1);
    return event == OrderPlaced.class
        ? new OrderPlaced(order, article)
        : new OrderPacked(order, article);
  }

  @Override
  public void close() {
    bus.close();
  }
}
