package io.posthorn.examples.campuscafe.stage;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;

/** What the databases of one shop say: its orders, and what each service did for them. */
record Shop(List<Placed> orders, Steps reserved, Steps charged, Steps notified) {
  /** An order as the order service knows it. */
  record Placed(
      UUID id, UUID request, String drink, int cups, String email, String status, Instant at) {
    boolean isFinal() {
      return status.equals("PAID") || status.equals("CANCELLED");
    }
  }

  /** How often a service did its work for each order. */
  record Steps(Map<UUID, Integer> times) {
    int of(UUID order) {
      return times.getOrDefault(order, 0);
    }
  }

  /**
   * Reads a shop.
   *
   * @param database where the tables of a service are, by its name
   * @param request the column with the id of the customer's request
   */
  static Shop read(UnaryOperator<String> database, Databases databases, String request)
      throws SQLException {
    // The orders last: whatever a service did by then, its order was committed before.
    Steps reserved = steps(databases.of(database.apply(Cafe.STOCK)), "reservation");
    Steps charged = steps(databases.of(database.apply(Cafe.PAYMENT)), "charge");
    Steps notified = steps(databases.of(database.apply(Cafe.NOTIFICATION)), "notification");
    List<Placed> orders = orders(databases.of(database.apply(Cafe.ORDER)), request);
    return new Shop(orders, reserved, charged, notified);
  }

  /** Finds the database of a name. */
  interface Databases {
    DataSource of(String name);
  }

  private static Steps steps(DataSource source, String table) throws SQLException {
    Map<UUID, Integer> times = new HashMap<>();
    try (Connection connection = source.getConnection();
        PreparedStatement statement =
            connection.prepareStatement(
                "SELECT order_id, count(*) FROM %s GROUP BY order_id".formatted(table));
        ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        times.put(rows.getObject(1, UUID.class), rows.getInt(2));
      }
    }
    return new Steps(times);
  }

  private static List<Placed> orders(DataSource source, String request) throws SQLException {
    List<Placed> orders = new ArrayList<>();
    try (Connection connection = source.getConnection();
        PreparedStatement statement =
            connection.prepareStatement(
                """
                SELECT id, %s, drink, cups, email, status, placed_at
                  FROM cafe_order
                 ORDER BY placed_at DESC
                """
                    .formatted(request));
        ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        orders.add(
            new Placed(
                rows.getObject(1, UUID.class),
                rows.getObject(2, UUID.class),
                rows.getString(3),
                rows.getInt(4),
                rows.getString(5),
                rows.getString(6),
                rows.getObject(7, OffsetDateTime.class).toInstant()));
      }
    }
    return orders;
  }
}
