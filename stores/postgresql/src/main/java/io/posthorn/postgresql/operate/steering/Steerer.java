package io.posthorn.postgresql.operate.steering;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Key;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.postgresql.lane.Lanes;
import io.posthorn.postgresql.log.SteeredReader;
import io.posthorn.postgresql.operate.audit.AuditLog;
import io.posthorn.postgresql.parked.GivenUp;
import io.posthorn.postgresql.parked.ParkedWriter;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import io.posthorn.postgresql.sql.Times;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Changes what happens to messages that are on their way: rate limits, retries, skips, times and
 * releases. Lanes are locked first, as everywhere.
 */
public final class Steerer {
  private static final Reason SKIPPED = Reason.of("SKIPPED", "skipped by a person");

  private static final Sql RATE =
      Sql.of(
          "lock rate",
          """
          SELECT rate_per_second
            FROM posthorn_destination
           WHERE name = :destination
             FOR NO KEY UPDATE
          """);

  private static final Sql LIMIT =
      Sql.of(
          "limit",
          """
          UPDATE posthorn_destination
             SET rate_per_second = CAST(:rate AS float8)
           WHERE name = :destination
             AND rate_per_second IS DISTINCT FROM CAST(:rate AS float8)
          """);

  private static final Sql RETRY =
      Sql.of(
          "retry now",
          """
          UPDATE posthorn_parked
             SET next_attempt_at = clock_timestamp()
           WHERE destination = :destination
             AND waiting IN ('RETRY', 'CODE', 'TURN')
             AND next_attempt_at > statement_timestamp()
             AND (CAST(:key AS text) IS NULL
                  OR (aggregate_type = CAST(:aggregateType AS text) AND key = CAST(:key AS text)))
          """);

  private static final Sql RESCHEDULE =
      Sql.of(
          "reschedule",
          """
          UPDATE posthorn_parked p
             SET next_attempt_at = greatest(CAST(:at AS timestamptz), clock_timestamp()),
                 not_before = :at
            FROM (SELECT message_id, next_attempt_at
                    FROM posthorn_parked
                   WHERE destination = :destination
                     AND message_id = :id
                     AND waiting = 'TIME') before
           WHERE p.destination = :destination
             AND p.message_id = before.message_id
          RETURNING (date_part('epoch', before.next_attempt_at) * 1000000)::bigint
          """);

  private static final Sql RELEASE =
      Sql.of(
          "release key",
          """
          DELETE FROM posthorn_held
           WHERE destination = :destination
             AND aggregate_type = :aggregateType
             AND key = :key
             AND NOT paused
          """);

  private final Database database;

  public Steerer(Database database) {
    this.database = database;
  }

  public boolean limit(String destination, @Nullable Double perSecond, Actor by) {
    String rate = perSecond == null ? null : perSecond.toString();
    return database.transaction(
        "limiting " + destination,
        tx -> {
          Optional<String> before;
          try (Query query = tx.query(RATE)) {
            before =
                query
                    .set("destination", destination)
                    .first(row -> Optional.ofNullable(row.getString(1)));
          }
          try (Query query = tx.query(LIMIT)) {
            if (query.set("destination", destination).set("rate", rate).update() == 0) {
              return false;
            }
          }
          Pauser.tell(tx, destination);
          String was = before == null ? null : rate(before.orElse(null));
          String target = "destination " + destination;
          AuditLog.write(tx, by, "destination.limit", target, was, rate(rate));
          return true;
        });
  }

  private static String rate(@Nullable String perSecond) {
    return perSecond == null ? "as configured" : perSecond + " a second";
  }

  public int retryNow(String destination, @Nullable Key key, Actor by) {
    return database.transaction(
        "retrying parked messages now",
        tx -> {
          lock(tx, destination);
          int changed;
          try (Query query = tx.query(RETRY)) {
            changed =
                query
                    .set("destination", destination)
                    .set("aggregateType", key == null ? null : key.aggregateType())
                    .set("key", key == null ? null : key.id())
                    .update();
          }
          if (changed > 0) {
            String target = destination + (key == null ? "" : ", key " + text(key));
            AuditLog.write(tx, by, "parked.retry", target, null, changed + " messages");
          }
          return changed;
        });
  }

  public boolean skip(String destination, UUID message, Actor by) {
    return database.transaction(
        "skipping message " + message,
        tx -> {
          lock(tx, destination);
          List<Optional<Key>> skipped =
              GivenUp.write(tx, destination, List.of(message), "DISCARDED", SKIPPED);
          if (skipped.isEmpty()) {
            return false;
          }
          Optional<Key> key = skipped.get(0);
          if (key.isPresent()) {
            ParkedWriter.wake(tx, destination, Set.of(key.get()));
          }
          String target = "message " + message + ", destination " + destination;
          AuditLog.write(tx, by, "parked.skip", target, "parked", "DISCARDED");
          return true;
        });
  }

  public boolean reschedule(String destination, UUID message, Instant at, Actor by) {
    return database.transaction(
        "rescheduling message " + message,
        tx -> {
          lock(tx, destination);
          Instant before;
          try (Query query = tx.query(RESCHEDULE)) {
            before =
                query
                    .set("destination", destination)
                    .set("id", message)
                    .set("at", at)
                    .first(row -> Times.instant(row.getLong(1)));
          }
          if (before == null) {
            return false;
          }
          String target = "message " + message + ", destination " + destination;
          AuditLog.write(tx, by, "parked.reschedule", target, before.toString(), at.toString());
          return true;
        });
  }

  public boolean release(String destination, Key key, Actor by) {
    return database.transaction(
        "releasing key " + text(key),
        tx -> {
          lock(tx, destination);
          int released;
          try (Query query = tx.query(RELEASE)) {
            released =
                query
                    .set("destination", destination)
                    .set("aggregateType", key.aggregateType())
                    .set("key", key.id())
                    .update();
          }
          if (released == 0) {
            return false;
          }
          ParkedWriter.wake(tx, destination, Set.of(key));
          String target = destination + ", key " + text(key);
          AuditLog.write(tx, by, "key.release", target, "held", "released");
          return true;
        });
  }

  private static String text(Key key) {
    return key.aggregateType() + " " + key.id();
  }

  /** Locks the lanes of this destination; '*' means all destinations. */
  static void lock(Database.Tx tx, String destination) throws SQLException {
    if (destination.equals(SteeredReader.ALL)) {
      Lanes.lockAll(tx);
    } else {
      Lanes.lock(tx, destination);
    }
  }
}
