package io.posthorn.postgresql.parked;

import io.posthorn.core.store.Lane;
import io.posthorn.postgresql.lane.LaneRow;
import io.posthorn.postgresql.schema.FindingIndexes;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Keeps parked messages from overtaking messages of their key that their lane has not settled from
 * the log yet. A lane has already read what it parks itself. But a message that unrouted hands
 * over, or that falls due, may be behind unread ones. Only such messages, marked as beside the log,
 * are checked.
 */
public final class UnreadBefore {
  // Every unsettled message has a number above the floor. Transactions that the newest snapshot
  // names as running are asked for their lowest number. Transactions that it does not name draw
  // only numbers above its low number, which may be below what the window has settled.
  public static final Sql STAND_BEHIND =
      Sql.of(
          "find those behind unread",
          """
          SELECT p.message_id
            FROM posthorn_parked p
           CROSS JOIN (SELECT c.s1, c.s2, c.last_seq, c.ahead,
                              least(CASE WHEN c.s2 IS NULL THEN c.low1 ELSE least(c.last_seq, c.low2) END,
                                    (SELECT min(f.seq) - 1
                                       FROM pg_snapshot_xip(coalesce(c.s2, c.s1)) AS open (tx)
                                      CROSS JOIN LATERAL
                                            (SELECT o.seq
                                               FROM posthorn_log o
                                              WHERE o.tx = open.tx
                                              ORDER BY o.tx, o.seq
                                              LIMIT 1) f)) AS floor
                         FROM posthorn_progress c
                        WHERE c.destination = :destination
                          AND c.lane = :lane
                        ORDER BY c.n DESC
                        LIMIT 1) c
           WHERE p.destination = :destination
             AND p.message_id = ANY (:ids)
             AND (SELECT true
                    FROM posthorn_log l
                   WHERE l.key = p.key
                     AND l.seq > c.floor
                     AND l.seq < p.position
                     AND coalesce(l.aggregate_type, '') = p.aggregate_type
                     AND NOT posthorn_settled(l.tx, l.seq, c.s1, c.s2, c.last_seq, c.ahead)
                     AND (SELECT true
                            FROM posthorn_route r
                           WHERE r.destination = :destination
                             AND r.type IN (l.type, '*')
                             AND posthorn_covers(r.since_seq, r.since, r.since_time, l.seq, l.tx, l.recorded_at)
                           LIMIT 1)
                   ORDER BY l.key, l.seq
                   LIMIT 1)
          """);

  // The same question where the index by key is missing, and each of these messages would walk the
  // log by itself. The next :span numbers are read once for all of them; a message further behind
  // waits until its lane has come near. Messages of transactions that the newest snapshot names as
  // running are found by transaction, however low their numbers are.
  static final Sql STAND_BEHIND_UNINDEXED =
      Sql.of(
          "find those behind unread, by walking",
          """
          WITH c AS MATERIALIZED (
            SELECT c.s1, c.s2, c.last_seq, c.ahead,
                   CASE WHEN c.s2 IS NULL THEN c.low1 ELSE least(c.last_seq, c.low2) END AS low
              FROM posthorn_progress c
             WHERE c.destination = :destination
               AND c.lane = :lane
             ORDER BY c.n DESC
             LIMIT 1
          ), unread AS MATERIALIZED (
            SELECT coalesce(l.aggregate_type, '') AS aggregate_type, l.key, l.seq, l.tx, l.type, l.recorded_at
              FROM c
             CROSS JOIN LATERAL
                   ((SELECT r.tx, r.seq, r.type, r.aggregate_type, r.key, r.recorded_at
                       FROM posthorn_log r
                      WHERE r.seq > c.low
                        AND r.seq <= c.low + :span
                      ORDER BY r.seq
                      LIMIT :span)
                    UNION ALL
                    (SELECT o.tx, o.seq, o.type, o.aggregate_type, o.key, o.recorded_at
                       FROM pg_snapshot_xip(coalesce(c.s2, c.s1)) AS open (tx)
                      CROSS JOIN LATERAL
                            (SELECT o.tx, o.seq, o.type, o.aggregate_type, o.key, o.recorded_at
                               FROM posthorn_log o
                              WHERE o.tx = open.tx
                                AND o.seq <= c.low
                              ORDER BY o.tx, o.seq
                              LIMIT :span) o)) l
             WHERE l.key IS NOT NULL
               AND NOT posthorn_settled(l.tx, l.seq, c.s1, c.s2, c.last_seq, c.ahead)
          )
          SELECT d.message_id
            FROM (SELECT b.message_id, b.position,
                         min(b.seq) FILTER (WHERE b.wanted) OVER (PARTITION BY b.aggregate_type, b.key) AS unread
                    FROM (SELECT a.message_id, a.position, a.aggregate_type, a.key, a.seq,
                                 CASE WHEN a.asked > 0 AND a.seq IS NOT NULL
                                      THEN (SELECT true
                                              FROM posthorn_route r
                                             WHERE r.destination = :destination
                                               AND r.type IN (a.type, '*')
                                               AND posthorn_covers(r.since_seq, r.since, r.since_time, a.seq, a.tx, a.recorded_at)
                                             LIMIT 1)
                                 END AS wanted
                            FROM (SELECT u.message_id, u.position, u.aggregate_type, u.key, u.seq, u.tx, u.type,
                                         u.recorded_at,
                                         count(u.message_id) OVER (PARTITION BY u.aggregate_type, u.key) AS asked
                                    FROM (SELECT p.message_id, p.position, p.aggregate_type, p.key,
                                                 CAST(NULL AS bigint) AS seq, CAST(NULL AS xid8) AS tx,
                                                 NULL AS type, CAST(NULL AS timestamptz) AS recorded_at
                                            FROM posthorn_parked p
                                           WHERE p.destination = :destination
                                             AND p.message_id = ANY (:ids)
                                          UNION ALL
                                          SELECT NULL, NULL, n.aggregate_type, n.key, n.seq, n.tx, n.type, n.recorded_at
                                            FROM unread n) u) a) b) d
           CROSS JOIN c
           WHERE d.message_id IS NOT NULL
             AND (d.unread < d.position OR d.position > c.low + :span)
          """);

  /** Twice as many numbers as an empty window may span without being stored. */
  private static final int SPAN = 20_000;

  // The messages before it may be in flight already, so no settle would wake it. It is checked
  // again soon, and the longer it has waited, the later.
  private static final Sql WAIT =
      Sql.of(
          "wait for unread",
          """
          UPDATE posthorn_parked
             SET next_attempt_at = clock_timestamp()
                   + least(interval '30 seconds',
                           greatest(interval '100 milliseconds',
                                    (clock_timestamp() - greatest(parked_at, not_before)) / 10))
           WHERE destination = :destination
             AND message_id = ANY (:ids)
             AND next_attempt_at <= clock_timestamp()
          """);

  private UnreadBefore() {}

  /** Returns the messages that must wait, and schedules their next check. */
  static Set<UUID> among(Database.Tx tx, Lane lane, Collection<UUID> ids) throws SQLException {
    if (ids.isEmpty()) {
      return Set.of();
    }
    List<UUID> behind = behind(tx, lane, ids);
    if (!behind.isEmpty()) {
      try (Query query = tx.query(WAIT)) {
        query.set("destination", lane.destination()).setUuids("ids", behind).update();
      }
    }
    return new HashSet<>(behind);
  }

  private static List<UUID> behind(Database.Tx tx, Lane lane, Collection<UUID> ids)
      throws SQLException {
    boolean indexed = FindingIndexes.of(tx).byKey();
    try (Query query = tx.query(indexed ? STAND_BEHIND : STAND_BEHIND_UNINDEXED)) {
      if (!indexed) {
        query.set("span", SPAN);
      }
      return LaneRow.set(query, lane)
          .setUuids("ids", ids)
          .rows(row -> row.getObject(1, UUID.class));
    }
  }
}
