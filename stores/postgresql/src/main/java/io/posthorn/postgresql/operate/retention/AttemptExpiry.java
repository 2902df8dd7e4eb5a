package io.posthorn.postgresql.operate.retention;

import io.posthorn.core.operate.retention.PurgeProgress;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;

/**
 * Removes the attempts of messages that are neither parked nor dead letters any more, in steps of
 * bounded size. It walks along the times of attempts, so a purge reads each attempt that stays only
 * once.
 */
final class AttemptExpiry {
  private static final int CHUNK = 5_000;
  private static final String START = "-infinity";

  // Looks up each message by itself: a join would read all dead letters in every step.
  private static final Sql STEP =
      Sql.of(
          "remove attempts",
          """
          WITH step AS MATERIALIZED (
            SELECT a.message_id, a.destination, a.attempt, a.at
              FROM posthorn_attempt a
             WHERE a.at > CAST(:after AS timestamptz)
               AND a.at < statement_timestamp() - make_interval(secs => :age)
             ORDER BY a.at
             LIMIT :chunk
          ), gone AS (
            DELETE FROM posthorn_attempt a
             USING step s
             WHERE a.message_id = s.message_id
               AND a.destination = s.destination
               AND a.attempt = s.attempt
               AND (SELECT true
                      FROM posthorn_parked p
                     WHERE p.destination = s.destination
                       AND p.message_id = s.message_id) IS NULL
               AND (SELECT true
                      FROM posthorn_dead d
                     WHERE d.message_id = s.message_id
                       AND d.destination = s.destination
                     LIMIT 1) IS NULL
          )
          SELECT max(at)::text AS upto, count(*) AS looked
            FROM step
          """);

  private record Looked(String upto, int rows) {}

  private final Database database;

  AttemptExpiry(Database database) {
    this.database = database;
  }

  void expire(Duration age, PurgeProgress purging) {
    String after = START;
    int looked = CHUNK;
    while (looked == CHUNK && purging.goOn("removing attempts up to " + after)) {
      String from = after;
      Looked step = database.transaction("removing old attempts", tx -> step(tx, from, age));
      looked = step.rows;
      after = step.upto;
    }
  }

  private static Looked step(Database.Tx tx, String after, Duration age) throws SQLException {
    try (Query query = tx.query(STEP)) {
      return Objects.requireNonNull(
          query
              .set("after", after)
              .set("age", age)
              .set("chunk", CHUNK)
              .first(
                  row ->
                      new Looked(
                          Objects.requireNonNullElse(row.getString("upto"), after),
                          row.getInt("looked"))));
    }
  }
}
