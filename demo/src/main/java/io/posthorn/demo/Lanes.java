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

/** Who holds which lane, as the database says it. */
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

  /** A relay is known by its name, which ends with the number of its process. */
  static String nameOf(long pid) {
    return "relay-" + pid;
  }

  /** A process holds a lane for at least so long, if it stays silent from now on. */
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

  /** What is left of this process' lease; zero if it holds nothing. */
  Duration lease(long pid) {
    return holdings.stream()
        .filter(holding -> holding.relay.equals(nameOf(pid)))
        .map(Holding::lease)
        .findFirst()
        .orElse(Duration.ZERO);
  }
}
