package io.posthorn.postgresql;

import java.sql.SQLException;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * When a message of the log was settled as sent: the time of the first progress that covers it.
 * Progress only ever moves on, so it is found by halving, in some twenty look-ups among millions of
 * rows.
 */
final class SentAt {
  private static final Sql BOUNDS =
      Sql.of(
          "find progress bounds",
          """
          SELECT min(n) AS first, max(n) AS last
            FROM posthorn_progress
           WHERE destination = :destination
             AND lane = 0
          """);

  private static final Sql COVERS =
      Sql.of(
          "look into progress",
          """
          SELECT p.n,
                 (date_part('epoch', p.at) * 1000000)::bigint AS at,
                 pg_visible_in_snapshot(l.tx, p.s1)
                   OR coalesce(pg_visible_in_snapshot(l.tx, p.s2)
                               AND (l.seq <= p.last_seq OR l.seq = ANY (p.ahead)), false) AS covers
            FROM posthorn_log l
           CROSS JOIN LATERAL
                 (SELECT p.n, p.at, p.s1, p.s2, p.last_seq, p.ahead
                    FROM posthorn_progress p
                   WHERE p.destination = :destination
                     AND p.lane = 0
                     AND p.n >= :n
                   ORDER BY p.n
                   LIMIT 1) p
           WHERE l.id = :id
          """);

  private record Bounds(long first, long last) {}

  private record Look(long n, Instant at, boolean covers) {}

  private SentAt() {}

  static @Nullable Instant find(Database.Tx tx, String destination, UUID id) throws SQLException {
    Bounds bounds;
    try (Query query = tx.query(BOUNDS)) {
      bounds =
          query
              .set("destination", destination)
              .first(row -> new Bounds(row.getLong("first"), row.getLong("last")));
    }
    if (bounds == null) {
      return null;
    }
    long low = bounds.first;
    long high = bounds.last;
    Instant found = null;
    while (low <= high) {
      long middle = low + (high - low) / 2;
      Look look = look(tx, destination, id, middle);
      if (look == null) {
        return found;
      }
      if (look.covers) {
        found = look.at;
        high = middle - 1;
      } else {
        low = look.n + 1;
      }
    }
    return found;
  }

  private static @Nullable Look look(Database.Tx tx, String destination, UUID id, long n)
      throws SQLException {
    try (Query query = tx.query(COVERS)) {
      return query
          .set("destination", destination)
          .set("id", id)
          .set("n", n)
          .first(
              row ->
                  new Look(
                      row.getLong("n"),
                      MessageRow.instant(row.getLong("at")),
                      row.getBoolean("covers")));
    }
  }
}
