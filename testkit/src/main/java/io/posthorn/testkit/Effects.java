package io.posthorn.testkit;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;

/**
 * The effects of handlers: one row each, in the order in which they happened. Nothing in the table
 * keeps an effect from happening twice.
 */
final class Effects {
  private static final String CREATE =
      """
      CREATE TABLE IF NOT EXISTS effect (
        position bigint GENERATED ALWAYS AS IDENTITY,
        consumer varchar(255) NOT NULL,
        name     varchar(255) NOT NULL,
        n        bigint       NOT NULL
      )
      """;

  private final DataSource dataSource;

  Effects(DataSource dataSource) {
    this.dataSource = dataSource;
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(CREATE);
      statement.execute("DELETE FROM effect");
    } catch (SQLException e) {
      throw new IllegalStateException("the table of effects could not be made", e);
    }
  }

  void add(Connection tx, String consumer, String key, long n) throws SQLException {
    try (PreparedStatement insert =
        tx.prepareStatement("INSERT INTO effect (consumer, name, n) VALUES (?, ?, ?)")) {
      insert.setString(1, consumer);
      insert.setString(2, key);
      insert.setLong(3, n);
      insert.executeUpdate();
    }
  }

  long count(String consumer) {
    return byKey(consumer).values().stream().mapToLong(List::size).sum();
  }

  List<Long> of(String consumer, String key) {
    return byKey(consumer).getOrDefault(key, List.of());
  }

  /** Committed ones, in their order. */
  Map<String, List<Long>> byKey(String consumer) {
    Map<String, List<Long>> found = new TreeMap<>();
    try (Connection connection = dataSource.getConnection();
        PreparedStatement select =
            connection.prepareStatement(
                "SELECT name, n FROM effect WHERE consumer = ? ORDER BY position")) {
      select.setString(1, consumer);
      try (ResultSet rows = select.executeQuery()) {
        while (rows.next()) {
          found.computeIfAbsent(rows.getString(1), key -> new ArrayList<>()).add(rows.getLong(2));
        }
      }
    } catch (SQLException e) {
      throw new IllegalStateException("the effects could not be read", e);
    }
    return found;
  }
}
