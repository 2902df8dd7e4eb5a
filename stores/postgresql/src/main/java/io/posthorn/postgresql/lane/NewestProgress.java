package io.posthorn.postgresql.lane;

import io.posthorn.core.store.Lane;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import io.posthorn.postgresql.sql.Times;
import java.sql.SQLException;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The part of a lane's newest progress that reading ahead needs, to check that the progress is this
 * relay's own.
 */
public record NewestProgress(UUID id, Instant at, boolean anyBlocked) {
  public static final Sql SQL =
      Sql.of(
          "read newest progress",
          """
          SELECT p.id,
                 (date_part('epoch', clock_timestamp()) * 1000000)::bigint AS at,
                 coalesce((SELECT true
                             FROM posthorn_parked q
                            WHERE q.destination = p.destination
                              AND q.position >= coalesce((SELECT e.position
                                                            FROM posthorn_edge e
                                                           WHERE e.destination = :destination
                                                             AND e.lane = :lane
                                                           ORDER BY e.n DESC
                                                           LIMIT 1), 0)
                              AND (n.last_bucket - n.first_bucket > 254 OR q.bucket BETWEEN n.first_bucket AND n.last_bucket)
                              AND q.waiting <> 'TIME'
                            ORDER BY q.position
                            LIMIT 1),
                          EXISTS (SELECT 1 FROM posthorn_held h WHERE h.destination = p.destination)) AS any_blocked
            FROM posthorn_progress p
            JOIN posthorn_lane n ON n.destination = p.destination AND n.lane = p.lane
           WHERE p.destination = :destination
             AND p.lane = :lane
           ORDER BY p.n DESC
           LIMIT 1
          """);

  public static Query set(Query query, Lane lane) throws SQLException {
    return query.set("destination", lane.destination()).set("lane", lane.number());
  }

  public static @Nullable NewestProgress of(Query query) throws SQLException {
    return query.first(
        row ->
            new NewestProgress(
                row.getObject("id", UUID.class),
                Times.instant(row.getLong("at")),
                row.getBoolean("any_blocked")));
  }
}
