package io.posthorn.demo;

import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.postgresql.PostgresqlStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/**
 * The application: a table of orders, and an outbox that sends every change to three destinations.
 * The demo is checked against this table, because it holds exactly what was committed.
 */
final class Shop {
  static final String APPLICATION = "shop";
  static final List<String> DESTINATIONS = List.of("stock", "payments", "mail");

  private static final String CREATE =
      """
      CREATE TABLE orders (
        id         text        PRIMARY KEY,
        version    bigint      NOT NULL DEFAULT 0,
        changed_at timestamptz NOT NULL DEFAULT now()
      )
      """;

  private static final String FILL =
      """
      INSERT INTO orders (id)
      SELECT 'order-' || n
        FROM generate_series(1, ?) AS n
      """;

  // Each change locks its order first, so the messages have the sequence of the changes.
  private static final String LOCK =
      """
      SELECT version
        FROM orders
       WHERE id = ?
         FOR UPDATE
      """;

  private static final String CHANGE =
      """
      UPDATE orders
         SET version = ?,
             changed_at = now()
       WHERE id = ?
      """;

  private final DataSource dataSource;
  private final Outbox outbox;

  Shop(DataSource dataSource) {
    this.dataSource = dataSource;
    this.outbox =
        Outbox.on(PostgresqlStore.on(dataSource), MessageTypes.named(OrderChanged.TYPE)).build();
  }

  void open(int orders) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement create = connection.createStatement()) {
      create.execute(CREATE);
      try (PreparedStatement fill = connection.prepareStatement(FILL)) {
        fill.setInt(1, orders);
        fill.executeUpdate();
      }
    }
  }

  static String order(int number) {
    return "order-" + number;
  }

  /**
   * Changes an order and adds a message about it, in one transaction.
   *
   * @param doomed whether to roll back at the end
   * @param open how long the transaction stays open before it ends
   */
  void change(String order, boolean doomed, Duration open)
      throws SQLException, InterruptedException {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      boolean committed = false;
      try {
        long version = lock(connection, order) + 1;
        try (PreparedStatement change = connection.prepareStatement(CHANGE)) {
          change.setLong(1, version);
          change.setString(2, order);
          change.executeUpdate();
        }
        outbox.add(connection, new OrderChanged(order, version, doomed).message());
        Thread.sleep(open.toMillis());
        if (!doomed) {
          connection.commit();
          committed = true;
        }
      } finally {
        if (!committed) {
          connection.rollback();
        }
      }
    }
  }

  private static long lock(Connection connection, String order) throws SQLException {
    try (PreparedStatement lock = connection.prepareStatement(LOCK)) {
      lock.setString(1, order);
      try (ResultSet row = lock.executeQuery()) {
        if (!row.next()) {
          throw new SQLException("there is no " + order);
        }
        return row.getLong(1);
      }
    }
  }

  /** Returns the number of committed changes of each order. */
  Map<String, Long> versions() throws SQLException {
    Map<String, Long> versions = new HashMap<>();
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT id, version FROM orders")) {
      while (rows.next()) {
        versions.put(rows.getString(1), rows.getLong(2));
      }
    }
    return versions;
  }
}
