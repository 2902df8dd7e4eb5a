package io.posthorn.testkit;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import javax.sql.DataSource;

/** The lists in the database, in SQL that every database knows. */
final class OracleTables {
  private static final int CHUNK = 1_000;

  private static final String CREATE_AGGREGATES =
      """
      CREATE TABLE IF NOT EXISTS oracle_aggregate (
        name   varchar(255) PRIMARY KEY,
        last_n bigint       NOT NULL
      )
      """;

  private static final String CREATE_ENTRIES =
      """
      CREATE TABLE IF NOT EXISTS oracle_entry (
        name varchar(255) NOT NULL,
        n    bigint       NOT NULL,
        PRIMARY KEY (name, n)
      )
      """;

  private final DataSource dataSource;

  OracleTables(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  void create() {
    inTransaction(
        tx -> {
          try (Statement statement = tx.createStatement()) {
            statement.execute(CREATE_AGGREGATES);
            statement.execute(CREATE_ENTRIES);
          }
        });
  }

  void createAggregates(Collection<String> keys) {
    inTransaction(
        tx -> {
          TreeSet<String> missing = new TreeSet<>(keys);
          try (Statement statement = tx.createStatement();
              ResultSet rows = statement.executeQuery("SELECT name FROM oracle_aggregate")) {
            while (rows.next()) {
              missing.remove(rows.getString(1));
            }
          }
          try (PreparedStatement insert =
              tx.prepareStatement("INSERT INTO oracle_aggregate (name, last_n) VALUES (?, 0)")) {
            for (String key : missing) {
              insert.setString(1, key);
              insert.addBatch();
            }
            insert.executeBatch();
          }
        });
  }

  List<OracleEntry> append(Connection tx, List<String> keys) throws SQLException {
    Map<String, Long> last = lock(tx, List.copyOf(new TreeSet<>(keys)));
    List<OracleEntry> entries = new ArrayList<>(keys.size());
    try (PreparedStatement insert =
        tx.prepareStatement("INSERT INTO oracle_entry (name, n) VALUES (?, ?)")) {
      for (String key : keys) {
        Long before = last.get(key);
        if (before == null) {
          throw new IllegalArgumentException("no aggregate '" + key + "': name it in keys() first");
        }
        last.put(key, before + 1);
        entries.add(new OracleEntry(key, before + 1));
        insert.setString(1, key);
        insert.setLong(2, before + 1);
        insert.addBatch();
      }
      insert.executeBatch();
    }
    try (PreparedStatement update =
        tx.prepareStatement("UPDATE oracle_aggregate SET last_n = ? WHERE name = ?")) {
      for (Map.Entry<String, Long> aggregate : last.entrySet()) {
        update.setLong(1, aggregate.getValue());
        update.setString(2, aggregate.getKey());
        update.addBatch();
      }
      update.executeBatch();
    }
    return entries;
  }

  private static Map<String, Long> lock(Connection tx, List<String> keys) throws SQLException {
    Map<String, Long> last = new HashMap<>();
    for (int from = 0; from < keys.size(); from += CHUNK) {
      List<String> chunk = keys.subList(from, Math.min(keys.size(), from + CHUNK));
      String places = String.join(", ", Collections.nCopies(chunk.size(), "?"));
      try (PreparedStatement lock =
          tx.prepareStatement(
              "SELECT name, last_n FROM oracle_aggregate WHERE name IN ("
                  + places
                  + ") ORDER BY name FOR UPDATE")) {
        for (int i = 0; i < chunk.size(); i++) {
          lock.setString(i + 1, chunk.get(i));
        }
        try (ResultSet rows = lock.executeQuery()) {
          while (rows.next()) {
            last.put(rows.getString(1), rows.getLong(2));
          }
        }
      }
    }
    return last;
  }

  Map<String, List<Long>> committed() {
    Map<String, List<Long>> lists = new HashMap<>();
    inTransaction(
        tx -> {
          try (Statement statement = tx.createStatement();
              ResultSet rows =
                  statement.executeQuery("SELECT name, n FROM oracle_entry ORDER BY name, n")) {
            while (rows.next()) {
              lists
                  .computeIfAbsent(rows.getString(1), key -> new ArrayList<>())
                  .add(rows.getLong(2));
            }
          }
        });
    return lists;
  }

  long count() {
    long[] count = new long[1];
    inTransaction(
        tx -> {
          try (Statement statement = tx.createStatement();
              ResultSet rows = statement.executeQuery("SELECT count(*) FROM oracle_entry")) {
            rows.next();
            count[0] = rows.getLong(1);
          }
        });
    return count[0];
  }

  private interface Work {
    void run(Connection tx) throws SQLException;
  }

  private void inTransaction(Work work) {
    try (Connection connection = dataSource.getConnection()) {
      boolean autoCommit = connection.getAutoCommit();
      connection.setAutoCommit(false);
      try {
        work.run(connection);
        connection.commit();
      } finally {
        connection.setAutoCommit(autoCommit);
      }
    } catch (SQLException e) {
      throw new IllegalStateException("the oracle could not read or write its tables", e);
    }
  }
}
