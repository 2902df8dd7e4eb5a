package io.posthorn.postgresql.operate.story;

import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import io.posthorn.postgresql.sql.Times;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * Finds when a message of the log was settled as sent: the time of the first progress that covers
 * it: of the lane that has its bucket. The lanes of a removed destination are not known, so there
 * it is that of the first lane. Progress only moves forward, so a binary search finds it with about
 * twenty look-ups among millions of rows. It is one statement, which is planned once.
 */
final class SentAt {
  private static final Sql FIND =
      Sql.of(
          "find progress that covers",
          """
          WITH RECURSIVE halving AS (
            SELECT d.destination, own.lane, ends.low, ends.high + 1 AS high, l.tx, l.seq
              FROM posthorn_log l
             CROSS JOIN unnest(CAST(:destinations AS text[])) AS d (destination)
             CROSS JOIN LATERAL
                   (SELECT coalesce((SELECT n.lane
                                       FROM posthorn_lane n
                                      WHERE n.destination = d.destination
                                        AND posthorn_bucket(l.aggregate_type, l.key, l.id)
                                            BETWEEN n.first_bucket AND n.last_bucket),
                                    (SELECT min(p.lane)
                                       FROM posthorn_progress p
                                      WHERE p.destination = d.destination)) AS lane) own
             CROSS JOIN LATERAL
                   (SELECT min(p.n) AS low, max(p.n) AS high
                      FROM posthorn_progress p
                     WHERE p.destination = d.destination
                       AND p.lane = own.lane
                       AND p.n > coalesce((SELECT e.first_n FROM posthorn_destination e WHERE e.name = d.destination), 0)) ends
             WHERE l.id = :id
            UNION ALL
            SELECT h.destination, h.lane,
                   CASE WHEN coalesce(looked.covers, true) THEN h.low ELSE looked.n + 1 END,
                   CASE WHEN coalesce(looked.covers, true) THEN (h.low + h.high) / 2 ELSE h.high END,
                   h.tx, h.seq
              FROM halving h
              LEFT JOIN LATERAL
                   (SELECT p.n,
                           posthorn_settled(h.tx, h.seq, p.s1, p.s2, p.last_seq, p.ahead) AS covers
                      FROM posthorn_progress p
                     WHERE p.destination = h.destination
                       AND p.lane = h.lane
                       AND p.n >= (h.low + h.high) / 2
                     ORDER BY p.n
                     LIMIT 1) looked ON true
             WHERE h.low < h.high
          )
          SELECT h.destination, (date_part('epoch', first.at) * 1000000)::bigint AS at
            FROM halving h
           CROSS JOIN LATERAL
                 (SELECT p.at
                    FROM posthorn_progress p
                   WHERE p.destination = h.destination
                     AND p.lane = h.lane
                     AND p.n >= h.high
                   ORDER BY p.n
                   LIMIT 1) first
           WHERE h.low >= h.high
          """);

  private SentAt() {}

  /** Returns the times by destination, for the destinations that have settled the message. */
  static Map<String, Instant> find(Database.Tx tx, Collection<String> destinations, UUID id)
      throws SQLException {
    Map<String, Instant> found = new HashMap<>();
    try (Query query = tx.query(FIND)) {
      query
          .setTexts("destinations", destinations)
          .set("id", id)
          .rows(row -> found.put(row.getString(1), Times.instant(row.getLong(2))));
    }
    return found;
  }
}
