package io.posthorn.crashtests;

import io.posthorn.core.message.Message;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * A broker that outlives its consumers' processes, as tables: partitions that belong to one feed as
 * long as it shows that it is alive, and a mark for each message that was acknowledged.
 */
final class TableBroker {
  static final int PARTITIONS = 4;

  private final DataSource dataSource;

  TableBroker(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  void create() throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          """
          CREATE TABLE broker_message (
            partition    int     NOT NULL,
            place        bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            id           uuid    NOT NULL,
            name         text    NOT NULL,
            n            bigint  NOT NULL,
            acknowledged boolean NOT NULL DEFAULT false
          );
          CREATE TABLE broker_partition (
            partition int PRIMARY KEY,
            owner     uuid,
            pid       bigint,
            until     timestamptz NOT NULL DEFAULT '-infinity'
          );
          CREATE TABLE effect (
            place bigint GENERATED ALWAYS AS IDENTITY,
            name  text   NOT NULL,
            n     bigint NOT NULL
          );
          """);
      for (int partition = 0; partition < PARTITIONS; partition++) {
        statement.execute("INSERT INTO broker_partition (partition) VALUES (" + partition + ")");
      }
    }
  }

  /** Each of these once or, as a sender does that crashed, twice. */
  void publish(String key, long n, boolean twice) throws SQLException {
    Message message = Message.of("Changed").build();
    try (Connection connection = dataSource.getConnection();
        PreparedStatement insert =
            connection.prepareStatement(
                "INSERT INTO broker_message (partition, id, name, n) VALUES (?, ?, ?, ?)")) {
      for (int copy = 0; copy < (twice ? 2 : 1); copy++) {
        insert.setInt(1, Math.floorMod(key.hashCode(), PARTITIONS));
        insert.setObject(2, message.id());
        insert.setString(3, key);
        insert.setLong(4, n);
        insert.executeUpdate();
      }
    }
  }

  long unacknowledged() throws SQLException {
    return number("SELECT count(*) FROM broker_message WHERE NOT acknowledged");
  }

  /** How many effects differ from what the messages mean: each once, in the order of its key. */
  long wrongEffects() throws SQLException {
    return number(
        """
        SELECT count(*)
          FROM (SELECT name, n, row_number() OVER (PARTITION BY name ORDER BY place) AS r
                  FROM effect) e
          FULL JOIN (SELECT DISTINCT name, n FROM broker_message) m
                 ON m.name = e.name AND m.n = e.n AND e.r = e.n
         WHERE m.name IS NULL
            OR e.name IS NULL
        """);
  }

  /** The processes that messages are given to. */
  List<Long> owners() throws SQLException {
    List<Long> pids = new ArrayList<>();
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT DISTINCT pid FROM broker_partition")) {
      while (rows.next()) {
        pids.add(rows.getLong(1));
      }
    }
    return pids;
  }

  long effects() throws SQLException {
    return number("SELECT count(*) FROM effect");
  }

  long messages() throws SQLException {
    return number("SELECT count(DISTINCT id) FROM broker_message");
  }

  private long number(String sql) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }
}
