package io.posthorn.postgresql.operate.steering;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;

/**
 * Refuses to remove routes if that would strand messages. A destination may have unread messages
 * that only these routes cover, while a younger route for their type stays. Without the older route
 * they would be passed by and delivered nowhere.
 */
final class StrandedByRemoval {
  private static final Sql FIND =
      Sql.of(
          "find what only these routes cover",
          """
          WITH route AS MATERIALIZED (
            SELECT type, since, since_seq, since_time,
                   (:anyType OR type = ANY (CAST(:types AS text[])))
                     AND application = coalesce(CAST(:application AS text), application) AS goes
              FROM posthorn_route
             WHERE destination = :destination
          ), cursor AS MATERIALIZED (
            SELECT firsts, s1s, oldest
              FROM posthorn_places(:destination)
          )
          SELECT l.type
            FROM posthorn_log l
           WHERE l.tx >= (SELECT oldest FROM cursor)
             AND l.tx < (SELECT b.below
                           FROM route r
                          CROSS JOIN LATERAL
                                (SELECT CASE WHEN r.since_time = '-infinity' THEN pg_snapshot_xmax(r.since)
                                             ELSE pg_snapshot_xmax(pg_current_snapshot())
                                        END AS below) b
                          WHERE NOT r.goes
                          ORDER BY b.below DESC
                          LIMIT 1)
             AND (SELECT NOT pg_visible_in_snapshot(
                               l.tx, c.s1s[posthorn_place(c.firsts, l.aggregate_type, l.key, l.id)])
                    FROM cursor c)
             AND EXISTS (SELECT 1
                           FROM route r
                          WHERE r.goes
                            AND r.type IN (l.type, '*')
                            AND posthorn_covers(r.since_seq, r.since, r.since_time, l.seq, l.tx, l.recorded_at))
             AND EXISTS (SELECT 1 FROM route r WHERE NOT r.goes AND r.type IN (l.type, '*'))
             AND NOT EXISTS (SELECT 1
                               FROM route r
                              WHERE NOT r.goes
                                AND r.type IN (l.type, '*')
                                AND posthorn_covers(r.since_seq, r.since, r.since_time, l.seq, l.tx, l.recorded_at))
           LIMIT 1
          """);

  private StrandedByRemoval() {}

  static void refuseIfAny(Database.Tx tx, Removal.Which which) throws SQLException {
    String type;
    try (Query query = tx.query(FIND)) {
      type = which.set(query).first(row -> row.getString(1));
    }
    if (type != null) {
      throw new PosthornException(
          ErrorCode.CONFLICT,
          "routes to '%s' were not removed: messages of type '%s' still wait for it in the log, and the remaining route is younger than they are, so they would never be delivered. Wait until the destination has read them ('posthorn destinations list'; resume it if it is paused), then try again."
              .formatted(which.destination(), type));
    }
  }
}
