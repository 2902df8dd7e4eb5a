package io.posthorn.postgresql.operate.steering;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Key;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.steering.Pause;
import io.posthorn.core.operate.steering.Scope;
import io.posthorn.core.store.Lane;
import io.posthorn.postgresql.log.SteeredReader;
import io.posthorn.postgresql.message.MessageRow;
import io.posthorn.postgresql.operate.audit.AuditLog;
import io.posthorn.postgresql.parked.ParkedWriter;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import io.posthorn.postgresql.sql.Times;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * Pauses and resumes destinations, types and keys. A relay learns of a pause by the destination's
 * new steering id, and parks messages under the lane's lock. Resuming takes the same lock, so it
 * finds everything that waits.
 */
public final class Pauser {
  /** The most messages that are woken while lanes are locked. */
  private static final int CHUNK = 1_000;

  private static final Sql PAUSE =
      Sql.of(
          "pause",
          """
          INSERT INTO posthorn_pause (destination, type, who, why)
          SELECT :destination, :type, :who, :why
           WHERE :destination = '*'
              OR EXISTS (SELECT 1 FROM posthorn_destination WHERE name = :destination)
              ON CONFLICT DO NOTHING
          """);

  private static final Sql HOLDER =
      Sql.of(
          "read holder",
          """
          SELECT r.name
            FROM posthorn_lane l
            JOIN posthorn_relay r ON r.id = l.relay
           WHERE l.destination = :destination
             AND l.token = :token
          """);

  private static final Sql RESUME =
      Sql.of(
          "resume",
          """
          DELETE FROM posthorn_pause
           WHERE destination = :destination
             AND type = :type
          RETURNING paused_at, who, why
          """);

  private static final Sql PAUSE_KEY =
      Sql.of(
          "pause key",
          """
          INSERT INTO posthorn_held (destination, aggregate_type, key, paused, who, why)
          SELECT name, :aggregateType, :key, true, :who, :why
            FROM posthorn_destination
           WHERE name = :destination
              ON CONFLICT DO NOTHING
          """);

  private static final Sql RESUME_KEY =
      Sql.of(
          "resume key",
          """
          DELETE FROM posthorn_held
           WHERE destination = :destination
             AND aggregate_type = :aggregateType
             AND key = :key
             AND paused
          RETURNING held_at AS paused_at, who, why
          """);

  private static final Sql TELL =
      Sql.of(
          "tell relays",
          """
          UPDATE posthorn_destination
             SET steering_id = gen_random_uuid()
           WHERE name = ANY (ARRAY (
                   SELECT name
                     FROM posthorn_destination
                    WHERE :destination IN (name, '*')
                    ORDER BY name
                      FOR NO KEY UPDATE))
          """);

  // The claim computes whether a message is the first of its key, as always.
  private static final Sql WAKE =
      Sql.of(
          "wake resumed",
          """
          UPDATE posthorn_parked
             SET waiting = 'TURN',
                 next_attempt_at = clock_timestamp()
           WHERE destination = :destination
             AND message_id = ANY (ARRAY (
                   SELECT p.message_id
                     FROM posthorn_parked p
                    WHERE p.destination = :destination
                      AND p.type = :type
                      AND p.waiting = 'PAUSED'
                      AND NOT EXISTS (SELECT 1
                                        FROM posthorn_pause s
                                       WHERE s.destination IN (p.destination, '*')
                                         AND s.type = p.type)
                    LIMIT :chunk))
          """);

  private static final Sql WAITING =
      Sql.of(
          "find where a type waits",
          """
          SELECT DISTINCT destination
            FROM posthorn_parked
           WHERE type = :type
             AND :destination IN (destination, '*')
             AND waiting = 'PAUSED'
          """);

  private static final Sql LIST =
      Sql.of(
          "list pauses",
          """
          SELECT nullif(destination, '*') AS destination, nullif(type, '*') AS type, NULL AS aggregate_type, NULL AS key,
                 paused_at, who, why
            FROM posthorn_pause
          UNION ALL
          SELECT destination, NULL, aggregate_type, key, held_at, who, why
            FROM posthorn_held
           WHERE paused
           ORDER BY paused_at
           LIMIT :limit
          """);

  /** Who had paused it, when and why. */
  private record Before(Instant at, String who, String why) {
    @Override
    public String toString() {
      return "paused by %s at %s: %s".formatted(who, at, why);
    }
  }

  private final Database database;

  public Pauser(Database database) {
    this.database = database;
  }

  public List<Pause> list(int limit) {
    return database.ask(
        "listing what is paused", LIST, query -> query.set("limit", limit).rows(Pauser::pause));
  }

  private static Pause pause(ResultSet row) throws SQLException {
    return new Pause(
        new Scope(row.getString("destination"), row.getString("type"), MessageRow.key(row)),
        Times.instant(row, "paused_at"),
        row.getString("who"),
        row.getString("why"));
  }

  public boolean pause(Scope scope, Actor by) {
    return database.transaction("pausing " + scope, tx -> pause(tx, scope, by));
  }

  /**
   * Pauses a destination that is gone for good, for its relay. A relay that has lost the lane
   * pauses nothing.
   */
  public boolean pause(Lane lane, Reason why) {
    return database.transaction(
        "pausing the destination of lane " + lane,
        tx -> {
          String relay;
          try (Query query = tx.query(HOLDER)) {
            query.set("destination", lane.destination()).set("token", lane.token());
            relay = query.first(row -> row.getString(1));
          }
          String reason = why.code() + ": " + why.text();
          return relay != null
              && pause(
                  tx,
                  Scope.destination(lane.destination()),
                  new Actor(cut("relay " + relay, 200), cut(reason, 2_000)));
        });
  }

  private static String cut(String text, int limit) {
    return text.substring(0, Math.min(text.length(), limit));
  }

  private static boolean pause(Database.Tx tx, Scope scope, Actor by) throws SQLException {
    // Takes no locks of lanes, because a person who must stop delivery must not wait.
    try (Query query = set(tx.query(scope.key() == null ? PAUSE : PAUSE_KEY), scope)) {
      if (query.set("who", by.who()).set("why", by.why()).update() == 0) {
        return false;
      }
    }
    if (tell(tx, where(scope)) == 0) {
      throw new PosthornException(
          ErrorCode.CONFLICT,
          "%s was not paused: it was removed just now. Run 'posthorn destinations list' to see the remaining destinations."
              .formatted(scope));
    }
    AuditLog.write(tx, by, action(scope) + ".pause", scope.toString(), "running", "paused");
    return true;
  }

  public boolean resume(Scope scope, Actor by) {
    boolean resumed =
        database.transaction(
            "resuming " + scope,
            tx -> {
              Steerer.lock(tx, where(scope));
              Before before;
              try (Query query = set(tx.query(scope.key() == null ? RESUME : RESUME_KEY), scope)) {
                before = query.first(Pauser::before);
              }
              if (before == null) {
                return false;
              }
              if (scope.key() != null) {
                ParkedWriter.wake(tx, where(scope), Set.of(scope.key()));
              }
              tell(tx, where(scope));
              String was = before.toString();
              AuditLog.write(tx, by, action(scope) + ".resume", scope.toString(), was, "running");
              return true;
            });
    // Wakes messages even if the type was resumed before, because that call may have been
    // interrupted halfway.
    if (scope.type() != null) {
      wake(where(scope), scope.type());
    }
    return resumed;
  }

  /** Wakes messages in short transactions, so that no lane waits for long. */
  private void wake(String destination, String type) {
    List<String> destinations =
        database.ask(
            "finding what waits of type " + type,
            WAITING,
            query ->
                query
                    .set("destination", destination)
                    .set("type", type)
                    .rows(row -> row.getString(1)));
    for (String one : destinations) {
      int woken;
      do {
        woken = wakeSome(one, type);
      } while (woken == CHUNK);
    }
  }

  private int wakeSome(String destination, String type) {
    return database.transaction(
        "waking messages of type " + type,
        tx -> {
          Steerer.lock(tx, destination);
          try (Query query = tx.query(WAKE)) {
            return query
                .set("destination", destination)
                .set("type", type)
                .set("chunk", CHUNK)
                .update();
          }
        });
  }

  /** Tells relays that steering has changed. Returns the number of destinations concerned. */
  static int tell(Database.Tx tx, String destination) throws SQLException {
    try (Query query = tx.query(TELL)) {
      return query.set("destination", destination).update();
    }
  }

  private static Query set(Query query, Scope scope) throws SQLException {
    query.set("destination", where(scope));
    Key key = scope.key();
    return key == null
        ? query.set("type", scope.type() == null ? SteeredReader.ALL : scope.type())
        : query.set("aggregateType", key.aggregateType()).set("key", key.id());
  }

  private static Before before(ResultSet row) throws SQLException {
    return new Before(Times.instant(row, "paused_at"), row.getString("who"), row.getString("why"));
  }

  private static String where(Scope scope) {
    return scope.destination() == null ? SteeredReader.ALL : scope.destination();
  }

  private static String action(Scope scope) {
    if (scope.key() != null) {
      return "key";
    }
    if (scope.type() != null) {
      return "type";
    }
    return scope.destination() == null ? "all" : "destination";
  }
}
