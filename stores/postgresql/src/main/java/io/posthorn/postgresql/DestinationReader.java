package io.posthorn.postgresql;

import io.posthorn.core.message.Key;
import io.posthorn.core.steering.DestinationStatus;
import io.posthorn.core.steering.ParkedMessage;
import io.posthorn.core.steering.Pause;
import io.posthorn.core.steering.Scope;
import io.posthorn.core.store.Waiting;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** How destinations stand, and what is parked for them. */
final class DestinationReader {
  private static final Sql DESTINATIONS =
      Sql.of(
          "list destinations",
          """
          SELECT d.name, p.destination AS paused, p.paused_at, p.who, p.why, d.rate_per_second, d.rewinding,
                 b.reason AS breaker,
                 ARRAY (SELECT DISTINCT t.type
                          FROM posthorn_pause t
                         WHERE t.destination IN (d.name, '*')
                           AND t.type <> '*') AS paused_types,
                 (SELECT count(*) FROM posthorn_held h WHERE h.destination = d.name AND h.paused) AS paused_keys,
                 (SELECT r.name
                    FROM posthorn_lane l
                    JOIN posthorn_relay r ON r.id = l.relay
                   WHERE l.destination = d.name
                     AND r.expires_at > statement_timestamp()
                   LIMIT 1) AS relay,
                 (SELECT count(*) FROM posthorn_parked p WHERE p.destination = d.name) AS parked,
                 (SELECT count(*) FROM posthorn_held h WHERE h.destination = d.name AND NOT h.paused) AS held,
                 (SELECT count(*) FROM posthorn_dead x WHERE x.destination = d.name AND x.state = 'DEAD') AS dead
            FROM posthorn_destination d
            LEFT JOIN posthorn_breaker b ON b.destination = d.name
            LEFT JOIN LATERAL
                 (SELECT p.destination, p.paused_at, p.who, p.why
                    FROM posthorn_pause p
                   WHERE p.destination IN (d.name, '*')
                     AND p.type = '*'
                   ORDER BY p.destination DESC
                   LIMIT 1) p ON d.name <> 'unrouted'
           ORDER BY d.name
          """);

  private static final Sql PARKED =
      Sql.of(
          "list parked",
          """
          SELECT p.message_id, p.type, p.aggregate_type, p.key, p.waiting, p.attempts, p.next_attempt_at, p.last_reason,
                 p.last_error,
                 EXISTS (SELECT 1
                           FROM posthorn_held h
                          WHERE h.destination = p.destination
                            AND h.aggregate_type = p.aggregate_type
                            AND h.key = p.key
                            AND NOT h.paused) AS held,
                 EXISTS (SELECT 1
                           FROM posthorn_held h
                          WHERE h.destination = p.destination
                            AND h.aggregate_type = p.aggregate_type
                            AND h.key = p.key
                            AND h.paused) AS key_paused,
                 (SELECT count(*)
                    FROM posthorn_parked o
                   WHERE o.destination = p.destination
                     AND o.aggregate_type = p.aggregate_type
                     AND o.key = p.key
                     AND o.waiting <> 'TIME'
                     AND p.waiting <> 'TIME'
                     AND (o.position, o.seq) > (p.position, p.seq)) AS behind
            FROM posthorn_parked p
           WHERE p.destination = :destination
             AND (p.waiting = 'TIME'
                  OR NOT EXISTS (SELECT 1
                                   FROM posthorn_parked o
                                  WHERE o.destination = p.destination
                                    AND o.aggregate_type = p.aggregate_type
                                    AND o.key = p.key
                                    AND o.waiting <> 'TIME'
                                    AND (o.position, o.seq) < (p.position, p.seq)))
           ORDER BY p.next_attempt_at, p.position
           LIMIT :limit
          """);

  // The scheduled have no place in the order before they are due, so they come last.
  private static final Sql PARKED_OF_KEY =
      Sql.of(
          "list parked of a key",
          """
          SELECT p.message_id, p.type, p.aggregate_type, p.key, p.waiting, p.attempts, p.next_attempt_at, p.last_reason,
                 p.last_error,
                 EXISTS (SELECT 1
                           FROM posthorn_held h
                          WHERE h.destination = p.destination
                            AND h.aggregate_type = p.aggregate_type
                            AND h.key = p.key
                            AND NOT h.paused) AS held,
                 EXISTS (SELECT 1
                           FROM posthorn_held h
                          WHERE h.destination = p.destination
                            AND h.aggregate_type = p.aggregate_type
                            AND h.key = p.key
                            AND h.paused) AS key_paused,
                 (SELECT count(*)
                    FROM posthorn_parked o
                   WHERE o.destination = p.destination
                     AND o.aggregate_type = p.aggregate_type
                     AND o.key = p.key
                     AND o.waiting <> 'TIME'
                     AND p.waiting <> 'TIME'
                     AND (o.position, o.seq) > (p.position, p.seq)) AS behind
            FROM posthorn_parked p
           WHERE p.destination = :destination
             AND p.aggregate_type = :aggregateType
             AND p.key = :key
             AND coalesce((SELECT (p.waiting = 'TIME', p.position, p.seq) > (a.waiting = 'TIME', a.position, a.seq)
                             FROM posthorn_parked a
                            WHERE a.destination = p.destination
                              AND a.message_id = CAST(:after AS uuid)), true)
           ORDER BY p.waiting = 'TIME', p.position, p.seq
           LIMIT :limit
          """);

  private final Database database;

  DestinationReader(Database database) {
    this.database = database;
  }

  List<DestinationStatus> destinations() {
    return database.ask(
        "listing destinations", DESTINATIONS, query -> query.rows(DestinationReader::status));
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
        scope, DeadLetterRow.instant(row, "paused_at"), row.getString("who"), row.getString("why"));
  }

  List<ParkedMessage> parked(String destination, Key key, @Nullable UUID after, int limit) {
    return database.ask(
        "listing what is parked of a key",
        PARKED_OF_KEY,
        query ->
            query
                .set("destination", destination)
                .set("aggregateType", key.aggregateType())
                .set("key", key.id())
                .set("after", after)
                .set("limit", limit)
                .rows(DestinationReader::message));
  }

  List<ParkedMessage> parked(String destination, int limit) {
    return database.ask(
        "listing what is parked",
        PARKED,
        query ->
            query
                .set("destination", destination)
                .set("limit", limit)
                .rows(DestinationReader::message));
  }

  private static ParkedMessage message(ResultSet row) throws SQLException {
    String aggregateType = row.getString("aggregate_type");
    return new ParkedMessage(
        row.getObject("message_id", UUID.class),
        row.getString("type"),
        aggregateType == null ? null : new Key(aggregateType, row.getString("key")),
        Waiting.valueOf(row.getString("waiting")),
        row.getInt("attempts"),
        DeadLetterRow.nullable(row, "next_attempt_at"),
        row.getString("last_reason"),
        row.getString("last_error"),
        row.getBoolean("held"),
        row.getBoolean("key_paused"),
        row.getLong("behind"));
  }
}
