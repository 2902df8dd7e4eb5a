package io.posthorn.postgresql.operate.steering;

import io.posthorn.core.operate.steering.DestinationStatus;
import io.posthorn.core.operate.steering.Pause;
import io.posthorn.core.operate.steering.Route;
import io.posthorn.core.operate.steering.Scope;
import io.posthorn.postgresql.log.SteeredReader;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import io.posthorn.postgresql.sql.Times;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads the status of destinations and their routes. Counts of possibly very many rows stop at a
 * limit.
 */
public final class DestinationReader {
  // Reads parked messages in an order, so that the planner does not read through those of all other
  // destinations.
  private static final Sql DESTINATIONS =
      Sql.of(
          "list destinations",
          """
          SELECT d.name, p.destination AS paused, p.paused_at, p.who, p.why, d.rate_per_second, d.rewinding,
                 b.reason || coalesce(': ' || nullif(b.error, ''), '') AS breaker,
                 ARRAY (SELECT DISTINCT t.type
                          FROM posthorn_pause t
                         WHERE t.destination IN (d.name, '*')
                           AND t.type <> '*') AS paused_types,
                 (SELECT count(*)
                    FROM (SELECT 1 FROM posthorn_held h WHERE h.destination = d.name AND h.paused LIMIT :most) counted)
                   AS paused_keys,
                 (SELECT string_agg(DISTINCT r.name, ', ')
                    FROM posthorn_lane l
                    JOIN posthorn_relay r ON r.id = l.relay
                   WHERE l.destination = d.name
                     AND r.expires_at > statement_timestamp()) AS relay,
                 (SELECT count(*)
                    FROM (SELECT 1
                            FROM ((SELECT 1
                                     FROM posthorn_parked p
                                    WHERE p.destination = d.name
                                      AND p.position >= coalesce(e.position, 0)
                                      AND p.waiting <> 'TIME'
                                    ORDER BY p.position
                                    LIMIT :most)
                                  UNION ALL
                                  (SELECT 1
                                     FROM posthorn_parked p
                                    WHERE p.destination = d.name
                                      AND p.next_attempt_at >= coalesce(e.due, '-infinity')
                                      AND p.waiting = 'TIME'
                                    ORDER BY p.next_attempt_at
                                    LIMIT :most)) p
                           LIMIT :most) counted) AS parked,
                 (SELECT count(*)
                    FROM (SELECT 1 FROM posthorn_held h WHERE h.destination = d.name AND NOT h.paused LIMIT :most) counted)
                   AS held,
                 (SELECT count(*)
                    FROM (SELECT 1 FROM posthorn_dead x WHERE x.destination = d.name AND x.state = 'DEAD' LIMIT :most)
                           counted) AS dead
            FROM posthorn_destination d
            LEFT JOIN LATERAL
                 (SELECT x.reason, x.error
                    FROM posthorn_breaker x
                   WHERE x.destination = d.name
                   ORDER BY x.opened_at
                   LIMIT 1) b ON true
            LEFT JOIN LATERAL posthorn_edges(d.name) e ON true
            LEFT JOIN LATERAL
                 (SELECT p.destination, p.paused_at, p.who, p.why
                    FROM posthorn_pause p
                   WHERE p.destination IN (d.name, '*')
                     AND p.type = '*'
                   ORDER BY p.destination DESC
                   LIMIT 1) p ON d.name <> 'unrouted'
           ORDER BY d.name
          """);

  private static final Sql ROUTES =
      Sql.of(
          "list routes",
          """
          SELECT t.application, t.destination, t.type, t.created_at,
                 (SELECT min(r.name)
                    FROM posthorn_relay_serves s
                    JOIN posthorn_relay r ON r.id = s.relay AND r.expires_at > statement_timestamp()
                   WHERE s.destination = t.destination
                     AND r.application = t.application
                     AND t.type = ANY (s.types)) AS relay
            FROM posthorn_route t
           WHERE t.destination = coalesce(CAST(:destination AS text), t.destination)
           ORDER BY t.destination, t.type, t.application
          """);

  private final Database database;

  public DestinationReader(Database database) {
    this.database = database;
  }

  public List<DestinationStatus> destinations() {
    return database.reads("listing destinations", DestinationReader::destinations);
  }

  public static List<DestinationStatus> destinations(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(DESTINATIONS)) {
      return query.set("most", DestinationStatus.MOST_COUNTED).rows(DestinationReader::status);
    }
  }

  public List<Route> routes(@Nullable String destination) {
    return database.read(
        "listing routes",
        ROUTES,
        query ->
            query
                .set("destination", destination)
                .rows(
                    row ->
                        new Route(
                            row.getString("application"),
                            row.getString("destination"),
                            row.getString("type"),
                            Times.instant(row, "created_at"),
                            row.getString("relay"))));
  }

  private static DestinationStatus status(ResultSet row) throws SQLException {
    double rate = row.getDouble("rate_per_second");
    boolean noRate = row.wasNull();
    return new DestinationStatus(
        row.getString("name"),
        pause(row),
        List.of((String[]) row.getArray("paused_types").getArray()),
        row.getLong("paused_keys"),
        noRate ? null : rate,
        row.getObject("rewinding", UUID.class),
        row.getString("relay"),
        row.getString("breaker"),
        row.getLong("parked"),
        row.getLong("held"),
        row.getLong("dead"));
  }

  private static @Nullable Pause pause(ResultSet row) throws SQLException {
    String paused = row.getString("paused");
    if (paused == null) {
      return null;
    }
    Scope scope = paused.equals(SteeredReader.ALL) ? Scope.EVERYTHING : Scope.destination(paused);
    return new Pause(
        scope, Times.instant(row, "paused_at"), row.getString("who"), row.getString("why"));
  }
}
