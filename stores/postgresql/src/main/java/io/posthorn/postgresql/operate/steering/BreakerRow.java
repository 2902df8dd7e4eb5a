package io.posthorn.postgresql.operate.steering;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.store.Lane;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.util.Optional;

/** Records the state of a lane's breaker for people; no relay reads it. */
public final class BreakerRow {
  private static final Sql OPEN =
      Sql.of(
          "note open breaker",
          """
          INSERT INTO posthorn_breaker (destination, lane, relay, reason, error)
          SELECT l.destination, l.lane, r.name, :reason, :error
            FROM posthorn_lane l
            JOIN posthorn_relay r ON r.id = l.relay
           WHERE l.destination = :destination
             AND l.token = :token
              ON CONFLICT (destination, lane) DO UPDATE
             SET relay = excluded.relay,
                 opened_at = clock_timestamp(),
                 reason = excluded.reason,
                 error = excluded.error
          """);

  private static final Sql CLOSED =
      Sql.of(
          "note closed breaker",
          """
          DELETE FROM posthorn_breaker
           WHERE destination = :destination
             AND lane = :lane
          """);

  private BreakerRow() {}

  public static int write(Database.Tx tx, Lane lane, Optional<Reason> open) throws SQLException {
    if (open.isEmpty()) {
      try (Query query = tx.query(CLOSED)) {
        return query.set("destination", lane.destination()).set("lane", lane.number()).update();
      }
    }
    try (Query query = tx.query(OPEN)) {
      return query
          .set("destination", lane.destination())
          .set("token", lane.token())
          .set("reason", open.get().code())
          .set("error", open.get().text())
          .update();
    }
  }
}
