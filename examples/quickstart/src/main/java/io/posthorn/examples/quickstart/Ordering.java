package io.posthorn.examples.quickstart;

import io.posthorn.core.Posthorn;
import io.posthorn.core.connector.RejectedException;
import io.posthorn.core.message.MessageKey;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * Takes orders and packs them: the stock is a consumer of its own, which changes its tables and
 * sends on in one transaction. With a source of a broker, it could be another service.
 */
public final class Ordering implements AutoCloseable {
  record OrderPlaced(@MessageKey("order") String order, String article) {}

  record OrderPacked(@MessageKey("order") String order, String article) {}

  private final Posthorn posthorn;

  public Ordering(DataSource dataSource) {
    this.posthorn =
        Posthorn.on(dataSource)
            .application("ordering")
            .environment("production")
            .migrate()
            .handle(
                "stock",
                OrderPlaced.class,
                (placed, handling) -> {
                  take(handling.connection(), placed.article());
                  handling.publish(new OrderPacked(placed.order(), placed.article()));
                })
            .handle(
                "orders",
                OrderPacked.class,
                (packed, handling) -> set(handling.connection(), packed.order(), "packed"))
            .start();
  }

  /** Stores the order and the event in one transaction: both, or neither. */
  public void place(String order, String article) throws SQLException {
    posthorn.inTransaction(
        tx -> {
          set(tx, order, "placed");
          posthorn.add(tx, new OrderPlaced(order, article));
        });
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

  @Override
  public void close() {
    posthorn.close();
  }
}
