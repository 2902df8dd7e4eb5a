package io.posthorn.postgresql;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.store.Lane;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Watches over messages that no route covers. They are parked; whoever registers a route for their
 * type gets them; and what nobody has wanted for the whole grace is dead with NO_ROUTE.
 */
final class Unrouted {
  /** How many seqs one transaction looks at. */
  private static final long SPAN = 100_000;

  /** How many messages one transaction hands over or buries. */
  private static final int SHARE = 1_000;

  private static final Sql PARK =
      Sql.of(
          "park uncovered",
          """
          INSERT INTO posthorn_parked
                 (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type,
                  headers, cipher_key, occurred_at, recorded_at, not_before, seq, position, bucket, waiting,
                  next_attempt_at)
          SELECT :destination, l.id, l.type, l.schema_version, l.aggregate_type, l.key, l.payload, l.content_type,
                 l.headers, l.cipher_key, l.occurred_at, l.recorded_at, l.not_before, l.seq, l.seq, l.bucket, 'ROUTE',
                 clock_timestamp() + make_interval(secs => :grace)
            FROM posthorn_log l
           WHERE l.seq > :last
             AND l.seq <= :upto
             AND (NOT :stragglers OR l.tx = ANY (CAST(CAST(:finished AS text[]) AS xid8[])))
             AND pg_visible_in_snapshot(l.tx, (SELECT CAST(:s2 AS pg_snapshot)))
             AND NOT pg_visible_in_snapshot(l.tx, (SELECT CAST(:s1 AS pg_snapshot)))
             AND l.type <> ALL (:types)
             AND NOT EXISTS (SELECT 1
                               FROM posthorn_route r
                              WHERE r.type IN (l.type, '*')
                                AND NOT pg_visible_in_snapshot(l.tx, r.since))
              ON CONFLICT (destination, message_id) DO NOTHING
          """);

  // Routes that cover everything above this seq: what they cover need not be looked up one by one.
  private static final Sql COVERED =
      Sql.of(
          "read covering routes",
          """
          SELECT DISTINCT type
            FROM posthorn_route
           WHERE since_seq <= :seq
          """);

  private static final Sql WANTED_BY =
      Sql.of(
          "find who wants unrouted",
          """
          SELECT DISTINCT r.destination
            FROM posthorn_route r
           WHERE EXISTS (SELECT 1
                           FROM posthorn_parked p
                          WHERE p.destination = :destination
                            AND r.type IN (p.type, '*')
                            AND r.destination <> ALL (p.given_to))
           ORDER BY r.destination
          """);

  private static final Sql LOCK_LANES =
      Sql.of(
          "lock receiving lanes",
          """
          SELECT 1
            FROM posthorn_lane
           WHERE destination = ANY (:destinations)
           ORDER BY destination, lane
             FOR NO KEY UPDATE
          """);

  private static final Sql GIVE =
      Sql.of(
          "hand over unrouted",
          """
          WITH given AS (
            UPDATE posthorn_parked p
               SET given_to = p.given_to || CAST(:to AS text)
             WHERE p.destination = :destination
               AND p.message_id IN (SELECT q.message_id
                                      FROM posthorn_parked q
                                     WHERE q.destination = :destination
                                       AND :to <> ALL (q.given_to)
                                       AND EXISTS (SELECT 1
                                                     FROM posthorn_route r
                                                    WHERE r.destination = :to
                                                      AND r.type IN (q.type, '*'))
                                     ORDER BY q.position
                                     LIMIT :share)
            RETURNING p.message_id, p.type, p.schema_version, p.aggregate_type, p.key, p.payload, p.content_type,
                      p.headers, p.cipher_key, p.occurred_at, p.recorded_at, p.not_before, p.seq, p.position, p.bucket
          )
          INSERT INTO posthorn_parked
                 (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type,
                  headers, cipher_key, occurred_at, recorded_at, not_before, seq, position, bucket, waiting,
                  next_attempt_at)
          SELECT :to, g.message_id, g.type, g.schema_version, g.aggregate_type, g.key, g.payload, g.content_type,
                 g.headers, g.cipher_key, g.occurred_at, g.recorded_at, g.not_before, g.seq, g.position, g.bucket,
                 CASE WHEN g.not_before > clock_timestamp() THEN 'TIME' ELSE 'RETRY' END,
                 greatest(g.not_before, clock_timestamp())
            FROM given g
              ON CONFLICT (destination, message_id) DO NOTHING
          """);

  private static final Sql FORGET =
      Sql.of(
          "forget handed over",
          """
          DELETE FROM posthorn_parked
           WHERE destination = :destination
             AND message_id IN (SELECT q.message_id
                                  FROM posthorn_parked q
                                 WHERE q.destination = :destination
                                   AND q.next_attempt_at <= clock_timestamp()
                                   AND q.given_to <> '{}'
                                 LIMIT :share)
          """);

  private static final Sql BURY =
      Sql.of(
          "bury unrouted",
          """
          WITH gone AS (
            DELETE FROM posthorn_parked
             WHERE destination = :destination
               AND message_id IN (SELECT q.message_id
                                    FROM posthorn_parked q
                                   WHERE q.destination = :destination
                                     AND q.next_attempt_at <= clock_timestamp()
                                     AND q.given_to = '{}'
                                   LIMIT :share)
            RETURNING destination, message_id, type, schema_version, aggregate_type, key, payload, content_type,
                      headers, cipher_key, occurred_at, recorded_at, not_before, seq, position, bucket, parked_at
          )
          INSERT INTO posthorn_dead
                 (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type,
                  headers, cipher_key, occurred_at, recorded_at, not_before, seq, position, bucket,
                  reason, last_reason, error, attempts, first_failed_at, last_failed_at)
          SELECT g.destination, g.message_id, g.type, g.schema_version, g.aggregate_type, g.key, g.payload,
                 g.content_type, g.headers, g.cipher_key, g.occurred_at, g.recorded_at, g.not_before, g.seq, g.position,
                 g.bucket, :reason, :reason,
                 'no destination has a route for type ''' || g.type || '''; register one and requeue',
                 0, g.parked_at, clock_timestamp()
            FROM gone g
          """);

  private final Database database;
  // Which routes were looked at last, so that handing over is tried only when they have changed or
  // new ones came.
  private final Map<UUID, UUID> handedOver = new ConcurrentHashMap<>();

  Unrouted(Database database) {
    this.database = database;
  }

  boolean tend(Lane lane, Duration grace) {
    return database.transaction(
        "tending the messages without a route",
        tx -> {
          LaneRow row = LaneRow.lock(tx, lane);
          Sweep sweep = sweep(tx, lane, row, grace);
          boolean more = sweep.more;
          if (sweep.parked > 0 || !row.routesId().equals(handedOver.get(lane.token()))) {
            boolean all = handOver(tx, lane);
            if (all && !sweep.more) {
              handedOver.clear();
              handedOver.put(lane.token(), row.routesId());
            }
            more = more || !all;
          }
          boolean moreToBury = bury(tx, lane);
          return more || moreToBury;
        });
  }

  private record Sweep(int parked, boolean more) {}

  /** Moves the cursor on by at most one span, and parks what is not covered on the way. */
  private static Sweep sweep(Database.Tx tx, Lane lane, LaneRow row, Duration grace)
      throws SQLException {
    Cursor cursor = row.cursor();
    Window open = cursor.window();
    if (open == null
        && cursor.low1() == row.high()
        && cursor.s1().finishedBy(row.now()).isEmpty()) {
      return new Sweep(0, false);
    }
    Window window =
        open == null
            ? new Window(cursor.s1(), cursor.low1(), row.now(), row.low(), row.high())
            : open;
    int parked = 0;
    long last = cursor.last();
    if (last < window.low1()) {
      if (!window.stragglers().isEmpty()) {
        parked += park(tx, lane, window, last, window.low1(), true, grace);
      }
      last = window.low1();
    }
    long upto = Math.min(window.high2(), last + SPAN);
    parked += park(tx, lane, window, last, upto, false, grace);
    UUID id = UUID.randomUUID();
    boolean done = upto >= window.high2();
    if (done) {
      Progress.closed(tx, lane, id, window.s2(), window.low2());
    } else {
      Progress.open(tx, lane, id, window, upto, List.of());
    }
    return new Sweep(parked, !done);
  }

  private static int park(
      Database.Tx tx,
      Lane lane,
      Window window,
      long last,
      long upto,
      boolean stragglers,
      Duration grace)
      throws SQLException {
    List<String> covered;
    try (Query query = tx.query(COVERED)) {
      covered = query.set("seq", last).rows(row -> row.getString(1));
    }
    if (covered.contains("*")) {
      return 0;
    }
    try (Query query = tx.query(PARK)) {
      return query
          .set("destination", lane.destination())
          .set("grace", grace)
          .set("last", last)
          .set("upto", upto)
          .set("stragglers", stragglers)
          .setTexts("finished", window.stragglers().stream().map(String::valueOf).toList())
          .set("s1", window.s1().text())
          .set("s2", window.s2().text())
          .setTexts("types", covered)
          .update();
    }
  }

  /** Copies waiting messages to everyone who has come to want them; true if all are handed over. */
  private static boolean handOver(Database.Tx tx, Lane lane) throws SQLException {
    List<String> receivers;
    try (Query query = tx.query(WANTED_BY)) {
      receivers = query.set("destination", lane.destination()).rows(row -> row.getString(1));
    }
    if (receivers.isEmpty()) {
      return true;
    }
    try (Query query = tx.query(LOCK_LANES)) {
      query.setTexts("destinations", receivers).any();
    }
    boolean all = true;
    for (String receiver : receivers) {
      try (Query query = tx.query(GIVE)) {
        all &=
            query
                    .set("destination", lane.destination())
                    .set("to", receiver)
                    .set("share", SHARE)
                    .update()
                < SHARE;
      }
    }
    return all;
  }

  private static boolean bury(Database.Tx tx, Lane lane) throws SQLException {
    int forgotten;
    try (Query query = tx.query(FORGET)) {
      forgotten = query.set("destination", lane.destination()).set("share", SHARE).update();
    }
    try (Query query = tx.query(BURY)) {
      int buried =
          query
              .set("destination", lane.destination())
              .set("share", SHARE)
              .set("reason", Reason.NO_ROUTE)
              .update();
      return forgotten == SHARE || buried == SHARE;
    }
  }
}
