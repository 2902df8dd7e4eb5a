package io.posthorn.demo;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import javax.sql.DataSource;

/** The lanes and the relays that hold them, read from the database. */
final class Lanes {
  private static final String READ =
      """
      SELECT l.destination,
             r.name,
             (1000 * extract(epoch FROM r.expires_at - clock_timestamp()))::bigint AS lease
        FROM posthorn_lane l
        JOIN posthorn_relay r ON r.id = l.relay
       WHERE l.destination <> 'unrouted'
         AND r.expires_at > clock_timestamp()
      """;

  /** Returns the name of a relay. It ends with the id of its process. */
  static String nameOf(long pid) {
    return "relay-" + pid;
  }

  /**
   * A lane and its relay. The lease is how long the relay still holds the lane if it does not
   * extend it.
   */
  private record Holding(String destination, String relay, Duration lease) {}

  private final DataSource dataSource;
  private List<Holding> holdings = List.of();

  Lanes(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  void read() throws SQLException {
    List<Holding> read = new ArrayList<>();
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(READ)) {
      while (rows.next()) {
        read.add(
            new Holding(rows.getString(1), rows.getString(2), Duration.ofMillis(rows.getLong(3))));
      }
    }
    read.sort(Comparator.comparing(holding -> Shop.DESTINATIONS.indexOf(holding.destination)));
    holdings = read;
  }

  List<String> heldBy(long pid) {
    return holdings.stream()
        .filter(holding -> holding.relay.equals(nameOf(pid)))
        .map(Holding::destination)
        .toList();
  }

  /** Returns the rest of this process's lease; zero if it holds no lane. */
  Duration lease(long pid) {
    return holdings.stream()
        .filter(holding -> holding.relay.equals(nameOf(pid)))
        .map(Holding::lease)
        .findFirst()
        .orElse(Duration.ZERO);
  }
}
