package io.posthorn.postgresql.lane;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.LaneLostException;
import io.posthorn.core.store.LaneState;
import io.posthorn.core.store.SteeringState;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import io.posthorn.postgresql.sql.Times;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A lane that is locked and read: the first two statements of every claim and settle. The lock is a
 * statement of its own, because only a statement that starts after it sees what the previous holder
 * has committed.
 */
public record LaneRow(
    Cursor cursor,
    Snapshot now,
    long low,
    long high,
    Instant at,
    Instant progressAt,
    Buckets buckets,
    UUID routesId,
    UUID steeringId,
    boolean waits,
    boolean rewinding,
    @Nullable Duration dueIn,
    boolean anyBlocked,
    long cache) {

  // The token is the fence: a relay that has lost the lane locks no row here and writes nothing.
  // The statement reads the sequence before the lock gives this transaction an id, so transactions
  // with later ids draw higher numbers.
  public static final Sql LOCK =
      Sql.of(
          "lock lane",
          """
          WITH drawn AS MATERIALIZED (
            SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS low
              FROM posthorn_seq
          )
          SELECT drawn.low, l.first_bucket, l.last_bucket
            FROM posthorn_lane l
           CROSS JOIN drawn
           WHERE l.destination = :destination
             AND l.lane = :lane
             AND l.token = :token
             FOR NO KEY UPDATE OF l
          """);

  public static final Sql LOOK =
      Sql.of(
          "read cursor",
          """
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
          """);

  public static final Sql DUE_IN =
      Sql.of(
          "look when parked are due",
          """
          SELECT date_part('epoch', least((SELECT min(q.next_attempt_at)
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
                                    - clock_timestamp()) AS due_in
            FROM posthorn_destination d
            JOIN posthorn_lane n ON n.destination = d.name AND n.lane = :lane
            LEFT JOIN LATERAL
                 (SELECT x.behind, x.due
                    FROM posthorn_edge x
                   WHERE x.destination = d.name
                     AND x.lane = n.lane
                   ORDER BY x.n DESC
                   LIMIT 1) e ON true
           WHERE d.name = :destination
          """);

  /** Locks the lane and reads it, in two statements of one round trip. */
  public static LaneRow lock(Database.Tx tx, Lane lane) throws SQLException {
    try (Query query = tx.query(LOCK, LOOK)) {
      set(query, lane).set("token", lane.token());
      return locked(query, lane);
    }
  }

  /** Returns what {@link #LOCK} and {@link #LOOK} found in one round trip. */
  public static LaneRow locked(Query query, Lane lane) throws SQLException {
    long low = low(query, lane);
    return checked(lane, query.first(row -> of(row, low)));
  }

  /**
   * Locks the lane without reading its cursor, before parked messages are given their turn. Returns
   * the buckets that the locked lane has.
   */
  public static Buckets fence(Database.Tx tx, Lane lane) throws SQLException {
    try (Query query = tx.query(LOCK, EdgeTimes.BEGIN_ANEW)) {
      EdgeTimes.set(query, lane);
      return first(set(query, lane).set("token", lane.token()), lane, Buckets::of);
    }
  }

  public static Query set(Query query, Lane lane) throws SQLException {
    return query.set("destination", lane.destination()).set("lane", lane.number());
  }

  /** Returns the sequence's value that the lock has read. */
  public static long low(Query query, Lane lane) throws SQLException {
    return first(query, lane, row -> row.getLong("low"));
  }

  private static <T> T first(Query query, Lane lane, Query.Row<T> mapper) throws SQLException {
    T found = query.first(mapper);
    if (found == null) {
      throw new LaneLostException(lane, "its token is not the stored one");
    }
    return found;
  }

  /** Reads the lane. The caller holds a lock on it. */
  public static LaneRow look(Database.Tx tx, Lane lane, long low) throws SQLException {
    try (Query query = tx.query(LOOK)) {
      return checked(lane, set(query, lane).first(row -> of(row, low)));
    }
  }

  public static LaneRow of(ResultSet row, long low) throws SQLException {
    Cursor cursor = Cursor.of(row);
    Snapshot now = Snapshot.parse(row.getString("now"));
    long own = row.getLong("own");
    // The number stored with the cursor is lower and also correct: a transaction that began after
    // this snapshot began after that one.
    boolean tooMany = now.tooManyUpTo(own);
    return new LaneRow(
        cursor,
        tooMany ? now : now.upTo(own),
        tooMany ? cursor.low() : low,
        row.getLong("high"),
        Times.instant(row.getLong("at")),
        Times.instant(row.getLong("progress_at")),
        Buckets.of(row),
        row.getObject("routes_id", UUID.class),
        row.getObject("steering_id", UUID.class),
        row.getBoolean("waits"),
        row.getBoolean("rewinding"),
        dueIn(row),
        row.getBoolean("any_blocked"),
        row.getLong("cache"));
  }

  /**
   * Checks that the cursor belongs to this server: a server whose transaction ids are behind the
   * cursor's has another history.
   */
  public static LaneRow checked(Lane lane, @Nullable LaneRow found) {
    if (found == null) {
      throw new LaneLostException(lane, "it has no stored progress");
    }
    LaneRow row = found;
    Window window = row.cursor.window();
    long known = (window == null ? row.cursor.s1() : window.s2()).xmax();
    if (row.now.xmax() < known) {
      throw new PosthornException(
          ErrorCode.CURSOR_AHEAD,
          "lane %s was not read: its stored cursor knows transactions up to %d and this server is only at %d (CURSOR_AHEAD), so the tables come from another server (a dump, a copy). New messages would count as delivered. Nothing is sent until a person decides what was delivered. On a copy whose original still sends, stop the relays and run 'posthorn adopt --environment NAME --as-sent --why TEXT' as the owner of the tables, which sends no earlier message; for a restored database see docs/guide/restore.md."
              .formatted(lane, known, row.now.xmax()));
    }
    return row;
  }

  private static @Nullable Duration dueIn(ResultSet row) throws SQLException {
    double seconds = row.getDouble("due_in");
    return row.wasNull() ? null : Duration.ofNanos(Math.max(0, (long) (seconds * 1e9)));
  }

  /** Returns the lane after a settle has parked messages or removed parked ones. */
  public LaneRow afterMoves(Database.Tx tx, Lane lane) throws SQLException {
    try (Query query = tx.query(EdgeTimes.BEGIN_ANEW, DUE_IN)) {
      EdgeTimes.set(set(query, lane), lane).any();
      Optional<Duration> due =
          Objects.requireNonNull(query.first(row -> Optional.ofNullable(dueIn(row))));
      return new LaneRow(
          cursor,
          now,
          low,
          high,
          at,
          progressAt,
          buckets,
          routesId,
          steeringId,
          waits,
          rewinding,
          due.orElse(null),
          true,
          cache);
    }
  }

  /**
   * Returns the window that begins where the cursor is, or where its open window ends. No window
   * may begin while sessions draw several numbers at once: they would use some of them later, below
   * {@code low}, where no relay looks.
   */
  public Window next(Lane lane) {
    if (cached()) {
      throw new PosthornException(
          ErrorCode.SEQUENCE_CACHED,
          "lane %s was not read further: the sequence of the log has CACHE %d (SEQUENCE_CACHED), so sessions use numbers in another order than they are drawn, and messages would be lost. Nothing more is sent until you run ALTER SEQUENCE … CACHE 1; 'posthorn doctor' names the sequence."
              .formatted(lane, cache));
    }
    Window open = cursor.window();
    return open == null
        ? new Window(cursor.s1(), cursor.low1(), now, low, high)
        : open.next(now, low, high);
  }

  public boolean cached() {
    return cache > 1;
  }

  public LaneState state(Lane lane, SteeringState steered, UUID progress) {
    return new LaneState(steered, dueIn, head(lane), progress);
  }

  private LogHead head(Lane lane) {
    if (rewinding && waits) {
      return LogHead.whileRewound(lane.destination());
    }
    // A lane that waits for messages to be handed over, or has a window to finish, must look again
    // soon.
    return rewinding || waits ? LogHead.NONE : LogHead.seen(low, now);
  }
}
