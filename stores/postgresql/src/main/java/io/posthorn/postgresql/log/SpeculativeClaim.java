package io.posthorn.postgresql.log;

import io.posthorn.core.store.ClaimLimits;
import io.posthorn.core.store.Lane;
import io.posthorn.postgresql.lane.Buckets;
import io.posthorn.postgresql.lane.LaneRow;
import io.posthorn.postgresql.lane.Snapshot;
import io.posthorn.postgresql.lane.Window;
import io.posthorn.postgresql.message.MessageRow;
import io.posthorn.postgresql.route.Routes;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Locks a lane, looks at it, and reads the first page of its next window, all in one round trip.
 *
 * <p>Where that window begins is a guess: at the end of what this relay settled last. Only the
 * stored cursor, which the look reads, knows. If the cursor is elsewhere, or the lane has other
 * buckets, the page is not used.
 */
final class SpeculativeClaim {
  /**
   * The most messages of a page: each row repeats the look, so longer pages would cost too much.
   */
  static final int MESSAGES = 100;

  /**
   * With more running transactions than this there is no guess: the finished ones are searched
   * alone.
   */
  private static final int MOST_RUNNING = 16;

  // Both statements repeat LaneRow.LOOK and the statements of LogReader word for word, with the
  // snapshot of the look in place of :s2; SpeculativeClaimTest compares them. It is one statement
  // because the next one would have another snapshot. The columns of messages have names of their
  // own, because the look has an id, too.
  //
  // OFFSET 0 keeps all other conditions out of the sixteen leaves: preparing them in each leaf
  // takes longer than reading a short page.
  static final Sql RANGE =
      Sql.of(
          "read cursor and range",
          """
          WITH look AS MATERIALIZED (
            SELECT p.id, p.s1, p.low1, p.s2, p.low2, p.high2, p.last_seq, p.ahead,
                   pg_current_snapshot() AS now,
                   pg_current_xact_id()::text::bigint AS own,
                   CASE WHEN s.is_called THEN s.last_value ELSE s.last_value - 1 END AS high,
                   (date_part('epoch', clock_timestamp()) * 1000000)::bigint AS at,
                   (date_part('epoch', p.at) * 1000000)::bigint AS progress_at,
                   n.first_bucket, n.last_bucket,
                   d.routes_id,
                   d.steering_id,
                   d.waits_for_unrouted OR (d.rewinding IS NOT NULL AND p.s2 IS NULL) AS waits,
                   d.rewinding IS NOT NULL AS rewinding,
                   date_part('epoch', least((SELECT min(q.next_attempt_at)
                                               FROM posthorn_parked q
                                              WHERE q.destination = d.name
                                                AND q.next_attempt_at >= coalesce(e.due, '-infinity')
                                                AND (n.last_bucket - n.first_bucket > 254 OR q.bucket BETWEEN n.first_bucket AND n.last_bucket)
                                                AND q.waiting <> 'TIME'),
                                            (SELECT min(q.next_attempt_at)
                                               FROM posthorn_parked q
                                              WHERE q.destination = d.name
                                                AND q.next_attempt_at >= coalesce(e.due, '-infinity')
                                                AND (n.last_bucket - n.first_bucket > 254 OR q.bucket BETWEEN n.first_bucket AND n.last_bucket)
                                                AND q.waiting = 'TIME'),
                                            (SELECT statement_timestamp()
                                               FROM posthorn_parked q
                                              WHERE q.destination = d.name
                                                AND q.position >= coalesce(e.behind, 0)
                                                AND (n.last_bucket - n.first_bucket > 254 OR q.bucket BETWEEN n.first_bucket AND n.last_bucket)
                                                AND q.waiting = 'BEHIND'
                                              ORDER BY q.position
                                              LIMIT 1))
                                      - clock_timestamp()) AS due_in,
                   coalesce((SELECT true
                               FROM posthorn_parked q
                              WHERE q.destination = d.name
                                AND q.position >= coalesce(e.position, 0)
                                AND (n.last_bucket - n.first_bucket > 254 OR q.bucket BETWEEN n.first_bucket AND n.last_bucket)
                                AND q.waiting <> 'TIME'
                              ORDER BY q.position
                              LIMIT 1),
                            EXISTS (SELECT 1 FROM posthorn_held h WHERE h.destination = d.name)) AS any_blocked,
                   (SELECT q.seqcache FROM pg_sequence q WHERE q.seqrelid = s.tableoid) AS cache
              FROM posthorn_destination d
              JOIN posthorn_lane n ON n.destination = d.name AND n.lane = :lane
             CROSS JOIN posthorn_seq s
             CROSS JOIN LATERAL
                   (SELECT p.id, p.at, p.s1, p.low1, p.s2, p.low2, p.high2, p.last_seq, p.ahead
                      FROM posthorn_progress p
                     WHERE p.destination = d.name
                       AND p.lane = n.lane
                     ORDER BY p.n DESC
                     LIMIT 1) p
              LEFT JOIN LATERAL
                   (SELECT x.position, x.behind, x.due
                      FROM posthorn_edge x
                     WHERE x.destination = d.name
                       AND x.lane = n.lane
                     ORDER BY x.n DESC
                     LIMIT 1) e ON true
             WHERE d.name = :destination
          )
          SELECT l.*, look.*
            FROM look
            LEFT JOIN LATERAL
                 (SELECT l.seq, l.id, l.type, l.schema_version, l.aggregate_type, l.key,
                         CASE WHEN posthorn_bytes(l.payload, l.headers) <= :inline THEN l.payload END,
                         l.content_type,
                         CASE WHEN posthorn_bytes(l.payload, l.headers) <= :inline THEN l.headers END,
                         l.cipher_key,
                         (date_part('epoch', l.occurred_at) * 1000000)::bigint,
                         (date_part('epoch', l.recorded_at) * 1000000)::bigint,
                         (date_part('epoch', l.not_before) * 1000000)::bigint,
                         posthorn_bytes(l.payload, l.headers)
                    FROM (SELECT tx, seq, recorded_at, id, type, schema_version, aggregate_type, key, payload, content_type, headers,
                                 cipher_key, occurred_at, not_before
                            FROM posthorn_log
                           WHERE seq > :last
                             AND seq <= :upto
                           ORDER BY seq
                          OFFSET 0) l
                   WHERE l.seq > :last
                     AND l.seq <= :upto
                     AND pg_visible_in_snapshot(l.tx, look.now)
                     AND NOT pg_visible_in_snapshot(l.tx, (SELECT CAST(:s1 AS pg_snapshot)))
                     AND l.seq <> ALL (:ahead)
                     AND (:everyBucket
                          OR posthorn_bucket(l.aggregate_type, l.key, l.id) BETWEEN :firstBucket AND :lastBucket)
                     AND (:all
                          OR l.type = ANY (:types)
                          OR (:young
                              AND EXISTS (SELECT 1
                                            FROM posthorn_route r
                                           WHERE r.destination = :destination
                                             AND r.type IN (l.type, '*')
                                             AND posthorn_covers(r.since_seq, r.since, r.since_time,
                                                                 l.seq, l.tx, l.recorded_at))))
                   ORDER BY l.seq
                   LIMIT :messages)
                 l (m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14) ON true
          """);

  static final Sql ALL =
      Sql.of(
          "read cursor, stragglers and range",
          """
          WITH look AS MATERIALIZED (
            SELECT p.id, p.s1, p.low1, p.s2, p.low2, p.high2, p.last_seq, p.ahead,
                   pg_current_snapshot() AS now,
                   pg_current_xact_id()::text::bigint AS own,
                   CASE WHEN s.is_called THEN s.last_value ELSE s.last_value - 1 END AS high,
                   (date_part('epoch', clock_timestamp()) * 1000000)::bigint AS at,
                   (date_part('epoch', p.at) * 1000000)::bigint AS progress_at,
                   n.first_bucket, n.last_bucket,
                   d.routes_id,
                   d.steering_id,
                   d.waits_for_unrouted OR (d.rewinding IS NOT NULL AND p.s2 IS NULL) AS waits,
                   d.rewinding IS NOT NULL AS rewinding,
                   date_part('epoch', least((SELECT min(q.next_attempt_at)
                                               FROM posthorn_parked q
                                              WHERE q.destination = d.name
                                                AND q.next_attempt_at >= coalesce(e.due, '-infinity')
                                                AND (n.last_bucket - n.first_bucket > 254 OR q.bucket BETWEEN n.first_bucket AND n.last_bucket)
                                                AND q.waiting <> 'TIME'),
                                            (SELECT min(q.next_attempt_at)
                                               FROM posthorn_parked q
                                              WHERE q.destination = d.name
                                                AND q.next_attempt_at >= coalesce(e.due, '-infinity')
                                                AND (n.last_bucket - n.first_bucket > 254 OR q.bucket BETWEEN n.first_bucket AND n.last_bucket)
                                                AND q.waiting = 'TIME'),
                                            (SELECT statement_timestamp()
                                               FROM posthorn_parked q
                                              WHERE q.destination = d.name
                                                AND q.position >= coalesce(e.behind, 0)
                                                AND (n.last_bucket - n.first_bucket > 254 OR q.bucket BETWEEN n.first_bucket AND n.last_bucket)
                                                AND q.waiting = 'BEHIND'
                                              ORDER BY q.position
                                              LIMIT 1))
                                      - clock_timestamp()) AS due_in,
                   coalesce((SELECT true
                               FROM posthorn_parked q
                              WHERE q.destination = d.name
                                AND q.position >= coalesce(e.position, 0)
                                AND (n.last_bucket - n.first_bucket > 254 OR q.bucket BETWEEN n.first_bucket AND n.last_bucket)
                                AND q.waiting <> 'TIME'
                              ORDER BY q.position
                              LIMIT 1),
                            EXISTS (SELECT 1 FROM posthorn_held h WHERE h.destination = d.name)) AS any_blocked,
                   (SELECT q.seqcache FROM pg_sequence q WHERE q.seqrelid = s.tableoid) AS cache
              FROM posthorn_destination d
              JOIN posthorn_lane n ON n.destination = d.name AND n.lane = :lane
             CROSS JOIN posthorn_seq s
             CROSS JOIN LATERAL
                   (SELECT p.id, p.at, p.s1, p.low1, p.s2, p.low2, p.high2, p.last_seq, p.ahead
                      FROM posthorn_progress p
                     WHERE p.destination = d.name
                       AND p.lane = n.lane
                     ORDER BY p.n DESC
                     LIMIT 1) p
              LEFT JOIN LATERAL
                   (SELECT x.position, x.behind, x.due
                      FROM posthorn_edge x
                     WHERE x.destination = d.name
                       AND x.lane = n.lane
                     ORDER BY x.n DESC
                     LIMIT 1) e ON true
             WHERE d.name = :destination
          )
          SELECT l.*, look.*
            FROM look
            LEFT JOIN LATERAL
                 ((SELECT l.seq, l.id, l.type, l.schema_version, l.aggregate_type, l.key,
                          CASE WHEN posthorn_bytes(l.payload, l.headers) <= :inline THEN l.payload END,
                          l.content_type,
                          CASE WHEN posthorn_bytes(l.payload, l.headers) <= :inline THEN l.headers END,
                          l.cipher_key,
                          (date_part('epoch', l.occurred_at) * 1000000)::bigint,
                          (date_part('epoch', l.recorded_at) * 1000000)::bigint,
                          (date_part('epoch', l.not_before) * 1000000)::bigint,
                          posthorn_bytes(l.payload, l.headers)
                     FROM unnest(CAST(:finished AS text[])) AS finished (tx)
                    CROSS JOIN LATERAL
                          (SELECT l.seq, l.id, l.type, l.schema_version, l.aggregate_type, l.key, l.payload, l.content_type,
                                  l.headers, l.cipher_key, l.occurred_at, l.recorded_at, l.not_before
                             FROM posthorn_log l
                            WHERE (l.tx, l.seq) > (CAST(finished.tx AS xid8), :after)
                              AND (l.tx, l.seq) <= (CAST(finished.tx AS xid8), :below)
                              AND l.seq <> ALL (:ahead)
                              AND (:everyBucket
                                   OR posthorn_bucket(l.aggregate_type, l.key, l.id) BETWEEN :firstBucket AND :lastBucket)
                              AND (:allBelow
                                   OR l.type = ANY (:typesBelow)
                                   OR (:youngBelow
                                       AND EXISTS (SELECT 1
                                                     FROM posthorn_route r
                                                    WHERE r.destination = :destination
                                                      AND r.type IN (l.type, '*')
                                                      AND posthorn_covers(r.since_seq, r.since, r.since_time,
                                                                          l.seq, l.tx, l.recorded_at))))
                            ORDER BY l.tx, l.seq
                            LIMIT :messages) l
                    WHERE pg_visible_in_snapshot(CAST(finished.tx AS xid8), look.now)
                    ORDER BY l.seq
                    LIMIT :messages)
                  UNION ALL
                  (SELECT l.seq, l.id, l.type, l.schema_version, l.aggregate_type, l.key,
                          CASE WHEN posthorn_bytes(l.payload, l.headers) <= :inline THEN l.payload END,
                          l.content_type,
                          CASE WHEN posthorn_bytes(l.payload, l.headers) <= :inline THEN l.headers END,
                          l.cipher_key,
                          (date_part('epoch', l.occurred_at) * 1000000)::bigint,
                          (date_part('epoch', l.recorded_at) * 1000000)::bigint,
                          (date_part('epoch', l.not_before) * 1000000)::bigint,
                          posthorn_bytes(l.payload, l.headers)
                     FROM (SELECT tx, seq, recorded_at, id, type, schema_version, aggregate_type, key, payload, content_type, headers,
                                  cipher_key, occurred_at, not_before
                             FROM posthorn_log
                            WHERE seq > :last
                              AND seq <= :upto
                            ORDER BY seq
                           OFFSET 0) l
                    WHERE l.seq > :last
                      AND l.seq <= :upto
                      AND pg_visible_in_snapshot(l.tx, look.now)
                      AND NOT pg_visible_in_snapshot(l.tx, (SELECT CAST(:s1 AS pg_snapshot)))
                      AND l.seq <> ALL (:ahead)
                      AND (:everyBucket
                           OR posthorn_bucket(l.aggregate_type, l.key, l.id) BETWEEN :firstBucket AND :lastBucket)
                      AND (:all
                           OR l.type = ANY (:types)
                           OR (:young
                               AND EXISTS (SELECT 1
                                             FROM posthorn_route r
                                            WHERE r.destination = :destination
                                              AND r.type IN (l.type, '*')
                                              AND posthorn_covers(r.since_seq, r.since, r.since_time,
                                                                  l.seq, l.tx, l.recorded_at))))
                    ORDER BY l.seq
                    LIMIT :messages))
                 l (m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14) ON true
          """);

  /**
   * The beginning of a window: everything that s1 sees is settled.
   *
   * @param buckets the buckets that the lane had
   */
  record Start(Snapshot s1, long low1, Buckets buckets) {
    boolean isOf(Window window, Buckets locked) {
      return s1.text().equals(window.s1().text())
          && low1 == window.low1()
          && buckets.equals(locked);
    }
  }

  private final Start start;
  private final Routes routes;
  private final ClaimLimits limits;
  private final List<Long> running;
  private final List<MessageRow.Sized> first = new ArrayList<>();
  private @Nullable LaneRow row;

  private SpeculativeClaim(Start start, Routes routes, ClaimLimits limits) {
    this.start = start;
    this.routes = routes;
    this.limits = new ClaimLimits(Math.min(MESSAGES, limits.messages()), limits.bytes());
    this.running = start.s1.running();
  }

  /**
   * Returns null if there is nothing to guess from, or if too many transactions may be stragglers.
   */
  static @Nullable SpeculativeClaim at(
      @Nullable Start start, @Nullable Routes routes, ClaimLimits limits) {
    return start == null || routes == null || start.s1.running().size() > MOST_RUNNING
        ? null
        : new SpeculativeClaim(start, routes, limits);
  }

  /** Locks the lane and looks at it. Call it once. */
  LaneRow lock(Database.Tx tx, Lane lane) throws SQLException {
    try (Query query = tx.query(LaneRow.LOCK, running.isEmpty() ? RANGE : ALL)) {
      LogReader.set(query, lane.destination(), start.buckets, routes, start.low1, upto(), limits)
          .set("inline", LogReader.inline(limits))
          .setLongs("ahead", List.of())
          .set("lane", lane.number())
          .set("token", lane.token())
          .set("s1", start.s1.text());
      if (!running.isEmpty()) {
        LogReader.setStragglers(query, routes, running, after(), start.low1);
      }
      long low = LaneRow.low(query, lane);
      query.each(found -> take(found, low));
    }
    // The statement returns the rows in this order, but does not promise it.
    first.sort(Comparator.comparingLong(message -> message.delivery().seq()));
    return LaneRow.checked(lane, row);
  }

  private void take(ResultSet found, long low) throws SQLException {
    if (row == null) {
      row = LaneRow.of(found, low);
    }
    if (found.getObject(1) != null) {
      first.add(MessageRow.sizedFromLog(found));
    }
  }

  /** Returns the seq to read after. Stragglers may have any lower seq. */
  private long after() {
    return running.isEmpty() ? start.low1 : 0;
  }

  private long upto() {
    return start.low1 + LogReader.SPAN;
  }

  /**
   * Returns the first page of this window if the guess was right, else null. The page is empty only
   * if the window is.
   */
  @Nullable Page read(LogReader reader, Window next, Routes known) throws SQLException {
    return start.isOf(next, Objects.requireNonNull(row).buckets()) && routes.id().equals(known.id())
        ? reader.begun(next, after(), upto(), first, limits)
        : null;
  }
}
