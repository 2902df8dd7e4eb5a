package io.posthorn.crashtests;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import io.posthorn.core.source.Feed;
import io.posthorn.core.source.Received;
import io.posthorn.core.source.Source;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;

/** The consumer's end of a {@link TableBroker}. */
final class TableSource implements Source {
  private final DataSource dataSource;

  TableSource(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  @Override
  public String name() {
    return "tables";
  }

  @Override
  public Feed open(String consumer) {
    return new TableFeed();
  }

  @Override
  public List<Finding> check(String consumer) {
    return List.of();
  }

  private record Place(int partition, long place) {}

  private final class TableFeed implements Feed {
    private final UUID me = UUID.randomUUID();

    @Override
    public List<Received> poll(int most, Duration wait) throws InterruptedException {
      List<Received> found = run(connection -> read(connection, most));
      if (found.isEmpty()) {
        Thread.sleep(20);
      }
      return found;
    }

    private List<Received> read(Connection connection, int most) throws SQLException {
      own(connection);
      List<Received> found = new ArrayList<>();
      try (PreparedStatement select =
          connection.prepareStatement(
              """
              SELECT m.partition, m.place, m.id, m.name, m.n
                FROM broker_message m
                JOIN broker_partition p USING (partition)
               WHERE p.owner = ?
                 AND NOT m.acknowledged
               ORDER BY m.place
               LIMIT ?
              """)) {
        select.setObject(1, me);
        select.setInt(2, most);
        try (ResultSet row = select.executeQuery()) {
          while (row.next()) {
            found.add(received(row));
          }
        }
      }
      return found;
    }

    /** Keeps what it has, and takes what nobody has. */
    private void own(Connection connection) throws SQLException {
      try (PreparedStatement update =
          connection.prepareStatement(
              """
              UPDATE broker_partition
                 SET owner = ?,
                     pid = ?,
                     until = clock_timestamp() + interval '1 second'
               WHERE owner = ?
                  OR until < clock_timestamp()
              """)) {
        update.setObject(1, me);
        update.setLong(2, ProcessHandle.current().pid());
        update.setObject(3, me);
        update.executeUpdate();
      }
    }

    @Override
    public void acknowledge(List<Received> done) {
      run(
          connection -> {
            try (PreparedStatement update =
                connection.prepareStatement(
                    """
                    UPDATE broker_message m
                       SET acknowledged = true
                      FROM broker_partition p
                     WHERE p.partition = m.partition
                       AND p.owner = ?
                       AND m.place = ?
                    """)) {
              for (Received received : done) {
                update.setObject(1, me);
                update.setLong(2, ((Place) received.place()).place);
                update.addBatch();
              }
              update.executeBatch();
            }
            return done;
          });
    }

    @Override
    public List<Received> keep(List<Received> inHand, Duration pause) throws InterruptedException {
      Thread.sleep(pause.toMillis());
      return run(
          connection -> {
            own(connection);
            List<Received> mine = new ArrayList<>();
            try (PreparedStatement select =
                connection.prepareStatement(
                    "SELECT 1 FROM broker_partition WHERE owner = ? AND partition = ?")) {
              for (Received received : inHand) {
                select.setObject(1, me);
                select.setInt(2, ((Place) received.place()).partition);
                try (ResultSet row = select.executeQuery()) {
                  if (row.next()) {
                    mine.add(received);
                  }
                }
              }
            }
            return mine;
          });
    }

    @Override
    public void close() {
      run(
          connection -> {
            try (PreparedStatement update =
                connection.prepareStatement(
                    "UPDATE broker_partition SET until = '-infinity' WHERE owner = ?")) {
              update.setObject(1, me);
              return update.executeUpdate();
            }
          });
    }
  }

  private interface Work<T> {
    T run(Connection connection) throws SQLException;
  }

  private <T> T run(Work<T> work) {
    try (Connection connection = dataSource.getConnection()) {
      return work.run(connection);
    } catch (SQLException e) {
      throw new IllegalStateException("the broker does not answer", e);
    }
  }

  private static Received received(ResultSet row) throws SQLException {
    String key = row.getString("name");
    long n = row.getLong("n");
    Message message =
        new Message(
            row.getObject("id", UUID.class),
            true,
            "Changed",
            1,
            new Key("Thing", key),
            (key + ":" + n).getBytes(UTF_8),
            Message.JSON,
            Map.of(),
            Instant.now(),
            null,
            n);
    return new Received(
        "tables", message, false, new Place(row.getInt("partition"), row.getLong("place")));
  }
}
