package io.posthorn.postgresql.operate.restore;

import io.posthorn.core.store.RelayStore;
import io.posthorn.postgresql.lane.Buckets;
import io.posthorn.postgresql.lane.Cursor;
import io.posthorn.postgresql.lane.Window;
import io.posthorn.postgresql.parked.ReusedIds;
import io.posthorn.postgresql.route.Unrouted;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import io.posthorn.postgresql.sql.Times;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds the messages that a lane has not delivered, from its stored progress, on a server with
 * other transaction ids.
 *
 * <p>The log may hold two kinds of rows: restored ones, whose transaction ids the progress refers
 * to, and rows written since, whose ids mean nothing to it. The sequence separates them, because
 * new rows have higher numbers than any that the progress knows. So the snapshots decide up to that
 * number, and everything above it is undelivered.
 *
 * <p>The server does all the work, however many messages there are: none of them pass through this
 * program.
 */
final class Undelivered {
  private static final Sql CURSOR =
      Sql.of(
          "read restored cursor",
          """
          SELECT p.id, p.s1, p.low1, p.s2, p.low2, p.high2, p.last_seq, p.ahead, p.high,
                 l.first_bucket, l.last_bucket
            FROM posthorn_lane l
            JOIN posthorn_progress p ON p.destination = l.destination AND p.lane = l.lane
           WHERE p.destination = :destination
             AND p.lane = :lane
           ORDER BY p.n DESC
           LIMIT 1
          """);

  // No undelivered message is below this number, whether of a transaction that s1 lists as running
  // or of a later one.
  private static final Sql FROM =
      Sql.of(
          "find oldest straggler",
          """
          SELECT least(CAST(:low AS bigint), min(l.seq) - 1)
            FROM unnest(CAST(:running AS text[])) AS running (tx)
            JOIN posthorn_log l ON l.tx = CAST(running.tx AS xid8)
          """);

  // The last condition: a route of the destination wants the message or, for the unrouted, no route
  // does.
  private static final Sql COUNT =
      Sql.of(
          "count undelivered",
          """
          SELECT count(*) AS messages,
                 (date_part('epoch', min(l.recorded_at)) * 1000000)::bigint AS oldest,
                 (date_part('epoch', max(l.recorded_at)) * 1000000)::bigint AS newest
            FROM posthorn_log l
           WHERE l.seq > :from
             AND (l.seq > :high
                  OR NOT (pg_visible_in_snapshot(l.tx, (SELECT CAST(:s1 AS pg_snapshot)))
                          OR (pg_visible_in_snapshot(l.tx, (SELECT CAST(:s2 AS pg_snapshot)))
                              AND (l.seq <= :last OR l.seq = ANY (:ahead)))))
             AND (:everyBucket
                  OR posthorn_bucket(l.aggregate_type, l.key, l.id) BETWEEN :firstBucket AND :lastBucket)
             AND EXISTS (SELECT 1
                           FROM posthorn_route r
                          WHERE (:unrouted OR r.destination = :destination)
                            AND r.type IN (l.type, '*')
                            AND posthorn_covers(r.since_seq, r.since, r.since_time,
                                                l.seq, l.tx, l.recorded_at)) <> :unrouted
          """);

  // Both conditions on not_before must see the same time, or else a message waits for one it lacks.
  private static final Sql COPY =
      Sql.of(
          "park undelivered",
          """
          INSERT INTO posthorn_parked
                 (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type,
                  headers, cipher_key, occurred_at, recorded_at, not_before, seq, position, waiting,
                  next_attempt_at)
          SELECT :destination, l.id, l.type, l.schema_version,
                 posthorn_key_type(l.aggregate_type, l.key), l.key, l.payload, l.content_type,
                 l.headers, l.cipher_key, l.occurred_at, l.recorded_at, l.not_before, l.seq, l.seq,
                 CASE WHEN :unrouted THEN 'ROUTE'
                      WHEN l.not_before > statement_timestamp() THEN 'TIME'
                      ELSE 'TURN' END,
                 CASE WHEN :unrouted THEN clock_timestamp() + make_interval(secs => :grace)
                      WHEN l.not_before > statement_timestamp() THEN l.not_before
                      WHEN l.key IS NULL THEN clock_timestamp() END
            FROM posthorn_log l
           WHERE l.seq > :from
             AND (l.seq > :high
                  OR NOT (pg_visible_in_snapshot(l.tx, (SELECT CAST(:s1 AS pg_snapshot)))
                          OR (pg_visible_in_snapshot(l.tx, (SELECT CAST(:s2 AS pg_snapshot)))
                              AND (l.seq <= :last OR l.seq = ANY (:ahead)))))
             AND (:everyBucket
                  OR posthorn_bucket(l.aggregate_type, l.key, l.id) BETWEEN :firstBucket AND :lastBucket)
             AND EXISTS (SELECT 1
                           FROM posthorn_route r
                          WHERE (:unrouted OR r.destination = :destination)
                            AND r.type IN (l.type, '*')
                            AND posthorn_covers(r.since_seq, r.since, r.since_time,
                                                l.seq, l.tx, l.recorded_at)) <> :unrouted
              ON CONFLICT (destination, message_id) DO NOTHING
          """);

  private static final Sql NOT_COPIED =
      Sql.of(
          "find undelivered that are not parked",
          """
          SELECT l.seq
            FROM posthorn_log l
           WHERE l.seq > :from
             AND (l.seq > :high
                  OR NOT (pg_visible_in_snapshot(l.tx, (SELECT CAST(:s1 AS pg_snapshot)))
                          OR (pg_visible_in_snapshot(l.tx, (SELECT CAST(:s2 AS pg_snapshot)))
                              AND (l.seq <= :last OR l.seq = ANY (:ahead)))))
             AND (:everyBucket
                  OR posthorn_bucket(l.aggregate_type, l.key, l.id) BETWEEN :firstBucket AND :lastBucket)
             AND EXISTS (SELECT 1
                           FROM posthorn_route r
                          WHERE (:unrouted OR r.destination = :destination)
                            AND r.type IN (l.type, '*')
                            AND posthorn_covers(r.since_seq, r.since, r.since_time,
                                                l.seq, l.tx, l.recorded_at)) <> :unrouted
             AND NOT EXISTS (SELECT 1
                               FROM posthorn_parked p
                              WHERE p.destination = :destination
                                AND p.message_id = l.id
                                AND p.seq = l.seq)
          """);

  // Walks the index once, however many messages wait behind one key.
  private static final Sql WAKE =
      Sql.of(
          "wake copied heads",
          """
          UPDATE posthorn_parked p
             SET next_attempt_at = clock_timestamp()
           WHERE p.destination = :destination
             AND p.waiting = 'TURN'
             AND p.next_attempt_at IS NULL
             AND p.message_id = ANY (ARRAY (
                   SELECT DISTINCT ON (q.aggregate_type, q.key) q.message_id
                     FROM posthorn_parked q
                    WHERE q.destination = :destination
                      AND q.waiting <> 'TIME'
                      AND q.key IS NOT NULL
                    ORDER BY q.aggregate_type, q.key, q.position, q.seq))
             AND NOT EXISTS (SELECT 1
                               FROM posthorn_held h
                              WHERE h.destination = p.destination
                                AND h.aggregate_type = p.aggregate_type
                                AND h.key = p.key)
          """);

  /** The number of messages, and when the first and the last one were recorded. */
  record Count(long messages, @Nullable Instant oldest, @Nullable Instant newest) {
    Count plus(Count other) {
      return new Count(
          messages + other.messages,
          one(oldest, other.oldest, Instant::isBefore),
          one(newest, other.newest, Instant::isAfter));
    }

    private static @Nullable Instant one(
        @Nullable Instant mine, @Nullable Instant other, BiPredicate<Instant, Instant> better) {
      if (mine == null || other == null) {
        return mine == null ? other : mine;
      }
      return better.test(other, mine) ? other : mine;
    }
  }

  private record Stored(Cursor cursor, long high, Buckets buckets) {}

  private final Database.Tx tx;
  private final String destination;
  private final Cursor cursor;
  private final long high;
  private final Buckets buckets;
  private final long from;

  private Undelivered(Database.Tx tx, String destination, Stored stored) throws SQLException {
    this.tx = tx;
    this.destination = destination;
    this.cursor = stored.cursor;
    this.high = stored.high;
    this.buckets = stored.buckets;
    try (Query query = tx.query(FROM)) {
      this.from =
          Objects.requireNonNull(
              query
                  .set("low", cursor.low1())
                  .setTexts("running", cursor.s1().running().stream().map(String::valueOf).toList())
                  .first(row -> row.getLong(1)));
    }
  }

  static Undelivered of(Database.Tx tx, String destination, int lane) throws SQLException {
    try (Query query = tx.query(CURSOR)) {
      Stored stored =
          query
              .set("destination", destination)
              .set("lane", lane)
              .first(row -> new Stored(Cursor.of(row), row.getLong("high"), Buckets.of(row)));
      return new Undelivered(tx, destination, Objects.requireNonNull(stored, "no progress"));
    }
  }

  Count count() throws SQLException {
    try (Query query = tx.query(COUNT)) {
      return Objects.requireNonNull(
          set(query)
              .first(
                  row ->
                      new Count(
                          row.getLong("messages"),
                          instant(row, "oldest"),
                          instant(row, "newest"))));
    }
  }

  private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
    long micros = row.getLong(column);
    return row.wasNull() ? null : Times.instant(micros);
  }

  /**
   * Copies the messages to the destination's parked messages, in order. The caller then empties the
   * log.
   */
  void park() throws SQLException {
    int copied;
    try (Query query = tx.query(COPY)) {
      copied = set(query).set("grace", Unrouted.GRACE).update();
    }
    if (copied < count().messages()) {
      ReusedIds.bury(tx, destination, notCopied());
    }
    try (Query query = tx.query(WAKE)) {
      query.set("destination", destination).update();
    }
  }

  private List<Long> notCopied() throws SQLException {
    try (Query query = tx.query(NOT_COPIED)) {
      return set(query).rows(row -> row.getLong(1));
    }
  }

  private Query set(Query query) throws SQLException {
    Window window = cursor.window();
    return buckets
        .set(query)
        .set("destination", destination)
        .set("unrouted", destination.equals(RelayStore.UNROUTED))
        .set("from", from)
        .set("high", high)
        .set("s1", cursor.s1().text())
        .set("s2", (window == null ? cursor.s1() : window.s2()).text())
        .set("last", cursor.last())
        .setLongs("ahead", cursor.ahead());
  }
}
