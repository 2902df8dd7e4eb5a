package io.posthorn.postgresql.route;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.operate.deadletter.Fingerprint;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.postgresql.lane.Cursor;
import io.posthorn.postgresql.lane.LaneRow;
import io.posthorn.postgresql.lane.Progress;
import io.posthorn.postgresql.lane.Window;
import io.posthorn.postgresql.message.RowByRow;
import io.posthorn.postgresql.parked.LastResort;
import io.posthorn.postgresql.parked.LogParker;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the messages that no route covers. They are parked, and handed over to a destination that
 * registers a route for their type. After the grace period without a route they become dead letters
 * with NO_ROUTE.
 */
public final class Unrouted {
  /** How long messages without a route wait for one by default. */
  public static final Duration GRACE = Duration.ofMinutes(10);

  /** The lane of unrouted, for transactions that lock it without a token. */
  public static final Lane LANE = new Lane(RelayStore.UNROUTED, 0, new UUID(0, 0));

  /** How many seqs one transaction scans. */
  private static final long SPAN = 100_000;

  /** How many messages one transaction hands over or buries. */
  private static final int SHARE = 1_000;

  private static final String NO_ROUTE =
      "no destination has a route for type '%s'; register one and requeue";

  private static final Sql UNCOVERED =
      Sql.of(
          "find uncovered",
          """
          SELECT l.seq
            FROM posthorn_log l
           WHERE l.seq > :last
             AND l.seq <= :upto
             AND pg_visible_in_snapshot(l.tx, (SELECT CAST(:s2 AS pg_snapshot)))
             AND NOT pg_visible_in_snapshot(l.tx, (SELECT CAST(:s1 AS pg_snapshot)))
             AND l.type <> ALL (:types)
             AND NOT EXISTS (SELECT 1
                               FROM posthorn_route r
                              WHERE r.type IN (l.type, '*')
                                AND posthorn_covers(r.since_seq, r.since, r.since_time, l.seq, l.tx, l.recorded_at))
           ORDER BY l.seq
           LIMIT :share
          """);

  private static final Sql UNCOVERED_STRAGGLERS =
      Sql.of(
          "find uncovered stragglers",
          """
          SELECT l.seq
            FROM unnest(CAST(:finished AS text[])) AS finished (tx)
           CROSS JOIN LATERAL
                 (SELECT l.seq
                    FROM posthorn_log l
                   WHERE (l.tx, l.seq) > (CAST(finished.tx AS xid8), :last)
                     AND (l.tx, l.seq) <= (CAST(finished.tx AS xid8), :upto)
                     AND l.type <> ALL (:types)
                     AND NOT EXISTS (SELECT 1
                                       FROM posthorn_route r
                                      WHERE r.type IN (l.type, '*')
                                        AND posthorn_covers(r.since_seq, r.since, r.since_time,
                                                            l.seq, l.tx, l.recorded_at))
                   ORDER BY l.tx, l.seq
                   LIMIT :share) l
           ORDER BY l.seq
           LIMIT :share
          """);

  // Routes that cover everything above this seq; their types need no look-up for each message.
  private static final Sql COVERED =
      Sql.of(
          "read covering routes",
          """
          SELECT DISTINCT type
            FROM posthorn_route
           WHERE since_seq <= :seq
          """);

  private static final Sql DUE =
      Sql.of(
          "look for due unrouted",
          """
          SELECT 1
            FROM posthorn_parked
           WHERE destination = :destination
             AND waiting <> 'TIME'
             AND next_attempt_at <= statement_timestamp()
             AND given_to = '{}'
           LIMIT 1
          """);

  // A message that a route wants is handed over first, however late.
  private static final Sql FORGET =
      Sql.of(
          "forget handed over",
          """
          DELETE FROM posthorn_parked
           WHERE destination = :destination
             AND message_id = ANY (ARRAY (
                   SELECT q.message_id
                     FROM posthorn_parked q
                    WHERE q.destination = :destination
                      AND q.waiting <> 'TIME'
                      AND q.next_attempt_at <= statement_timestamp()
                      AND q.given_to <> '{}'
                      AND NOT EXISTS (SELECT 1
                                        FROM posthorn_route r
                                       WHERE r.type IN (q.type, '*')
                                         AND r.destination <> ALL (q.given_to))
                    LIMIT :share))
          """);

  private static final Sql BURY =
      Sql.of(
          "bury unrouted",
          """
          WITH gone AS (
            DELETE FROM posthorn_parked
             WHERE destination = :destination
               AND message_id = ANY (ARRAY (
                     SELECT q.message_id
                       FROM posthorn_parked q
                      WHERE q.destination = :destination
                        AND q.waiting <> 'TIME'
                        AND q.next_attempt_at <= statement_timestamp()
                        AND q.given_to = '{}'
                        AND NOT EXISTS (SELECT 1 FROM posthorn_route r WHERE r.type IN (q.type, '*'))
                      LIMIT :share))
            RETURNING destination, message_id, type, schema_version, aggregate_type, key, payload, content_type,
                      headers, cipher_key, occurred_at, recorded_at, not_before, seq, position, parked_at,
                      first_failed_at, dead_letter, operation
          ), counted AS (
            INSERT INTO posthorn_operation_outcome (operation, sent, died, retrying)
            SELECT operation, 0, count(*), -count(first_failed_at)
              FROM gone
             WHERE operation IS NOT NULL
             GROUP BY operation
          ), died_again AS (
            UPDATE posthorn_dead
               SET outcome = 'DEAD',
                   outcome_at = clock_timestamp()
             WHERE id = ANY (ARRAY (SELECT dead_letter FROM gone WHERE dead_letter IS NOT NULL))
          ), buried AS (
            INSERT INTO posthorn_dead
                   (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type,
                    headers, cipher_key, occurred_at, recorded_at, not_before, seq, position,
                    reason, last_reason, error, fingerprint, attempts, first_failed_at, last_failed_at, previous)
            SELECT g.destination, g.message_id, g.type, g.schema_version, g.aggregate_type, g.key, g.payload,
                   g.content_type, g.headers, g.cipher_key, g.occurred_at, g.recorded_at, g.not_before, g.seq, g.position,
                   :reason, :reason,
                   format(:error, g.type), :fingerprint, 0, g.parked_at, clock_timestamp(), g.dead_letter
              FROM gone g
            RETURNING type
          )
          SELECT type, count(*)
            FROM buried
           GROUP BY type
          """);

  private final Database database;
  // The version of the routes at the last complete hand-over, by token. Handing over is tried again
  // only when the routes have changed or new messages came.
  private final Map<UUID, UUID> handedOver = new ConcurrentHashMap<>();

  public Unrouted(Database database) {
    this.database = database;
  }

  private record Tended(boolean more, @Nullable UUID handedOver, Map<String, Integer> dead) {}

  public boolean tend(Lane lane, Duration grace, BiConsumer<String, Integer> dead) {
    return RowByRow.ifRefused(
        () -> tendAtOnce(lane, grace, dead), () -> tendOneByOne(lane, grace, dead));
  }

  private boolean tendAtOnce(Lane lane, Duration grace, BiConsumer<String, Integer> dead) {
    Tended tended =
        database.transaction("tending the messages without a route", tx -> tend(tx, lane, grace));
    // Remembered only after the commit.
    if (tended.handedOver != null) {
      handedOver.clear();
      handedOver.put(lane.token(), tended.handedOver);
    }
    tended.dead.forEach(dead);
    return tended.more;
  }

  /**
   * Works in small parts, because the database refuses one message. Each kind of work runs by
   * itself, so that it stops none of the others, with fewer and fewer messages. When the refused
   * message is alone, it becomes a dead letter made of its readable parts.
   */
  private boolean tendOneByOne(Lane lane, Duration grace, BiConsumer<String, Integer> dead) {
    PosthornException refused =
        inParts(
            "looking for messages without a route",
            (tx, share) ->
                share > 0
                    ? sweep(tx, lane, LaneRow.lock(tx, lane), grace, share).more
                    : buryNext(tx, lane, LaneRow.lock(tx, lane)));
    PosthornException notGiven =
        inParts(
            "handing over messages without a route",
            (tx, share) -> {
              LaneRow.fence(tx, lane);
              return share > 0
                  ? HandOver.toAllWhoWant(tx, lane, share)
                  : HandOver.buryNext(tx, lane);
            });
    Buried buried =
        database.transaction(
            "burying messages without a route",
            tx -> {
              LaneRow.fence(tx, lane);
              return bury(tx, lane);
            });
    buried.types.forEach(dead);
    if (refused != null) {
      throw refused;
    }
    if (notGiven != null) {
      throw notGiven;
    }
    return true;
  }

  private interface Part {
    boolean of(Database.Tx tx, int share) throws SQLException;
  }

  /**
   * Runs a part with half as many messages each time; zero stands for the refused message alone.
   * Returns the error if even that was refused.
   */
  private @Nullable PosthornException inParts(String what, Part part) {
    for (int share = SHARE; ; share /= 2) {
      int now = share;
      try {
        database.transaction(what, tx -> part.of(tx, now));
        return null;
      } catch (PosthornException e) {
        if (e.code() != ErrorCode.STORE_REFUSED) {
          throw e;
        }
        if (share == 0) {
          return e;
        }
      }
    }
  }

  /** Makes the next message without a route a dead letter, and moves the cursor past it. */
  private static boolean buryNext(Database.Tx tx, Lane lane, LaneRow row) throws SQLException {
    Cursor cursor = row.cursor();
    Window open = cursor.window();
    Window window = open == null ? row.next(lane) : open;
    long last = open == null ? 0 : cursor.last();
    Long next = null;
    List<Long> finished = window.stragglers();
    if (last < window.low1() && !finished.isEmpty()) {
      try (Query query = tx.query(UNCOVERED_STRAGGLERS)) {
        query.setTexts("finished", finished.stream().map(String::valueOf).toList());
        next = first(seqs(query, last, window.low1(), covered(tx, last), 1));
      }
    }
    if (next == null) {
      long from = Math.max(last, window.low1());
      try (Query query = tx.query(UNCOVERED)) {
        query.set("s1", window.s1().text()).set("s2", window.s2().text());
        long upto = Math.min(window.high2(), from + SPAN);
        next = first(seqs(query, from, upto, covered(tx, from), 1));
      }
    }
    if (next == null) {
      return false;
    }
    Delivery delivery = RowByRow.ofLog(tx, next).delivery();
    new LastResort(tx, lane.destination()).bury(List.of(RowByRow.burial(delivery)));
    Progress.open(tx, lane, UUID.randomUUID(), window, next, List.of());
    return true;
  }

  private static @Nullable Long first(List<Long> seqs) {
    return seqs.isEmpty() ? null : seqs.get(0);
  }

  private Tended tend(Database.Tx tx, Lane lane, Duration grace) throws SQLException {
    LaneRow row = LaneRow.lock(tx, lane);
    Sweep sweep = sweep(tx, lane, row, grace, SHARE);
    boolean more = sweep.more;
    UUID done = null;
    if (sweep.parked > 0
        || !row.routesId().equals(handedOver.get(lane.token()))
        || HandOver.isAwaited(tx)
        || anyDue(tx, lane)) {
      boolean all = HandOver.toAllWhoWant(tx, lane);
      if (all && !sweep.more) {
        done = row.routesId();
        HandOver.done(tx);
      }
      more = more || !all;
    }
    Buried buried = bury(tx, lane);
    return new Tended(more || buried.more, done, buried.types);
  }

  /**
   * Whether messages are due. Before they are buried, another hand-over makes sure that no
   * destination wants them: they may have been requeued.
   */
  private static boolean anyDue(Database.Tx tx, Lane lane) throws SQLException {
    try (Query query = tx.query(DUE)) {
      return query.set("destination", lane.destination()).any();
    }
  }

  /**
   * Moves the cursor on by up to one span. The caller has locked the lane without a token. Returns
   * true if there is more.
   */
  public static boolean sweep(Database.Tx tx, long low) throws SQLException {
    return sweep(tx, LANE, LaneRow.look(tx, LANE, low), GRACE, SHARE).more;
  }

  private record Sweep(int parked, boolean more) {}

  /** Moves the cursor on by up to one span, and parks uncovered messages on the way. */
  private static Sweep sweep(Database.Tx tx, Lane lane, LaneRow row, Duration grace, int share)
      throws SQLException {
    Cursor cursor = row.cursor();
    if (isSwept(row)) {
      return new Sweep(0, false);
    }
    Window open = cursor.window();
    Window window = open == null ? row.next(lane) : open;
    int parked = 0;
    long last = open == null ? 0 : cursor.last();
    if (last < window.low1()) {
      List<Long> found = uncoveredStragglers(tx, window, last, share);
      LogParker.parkUnrouted(tx, found, grace);
      parked += found.size();
      last = found.size() == share ? found.get(share - 1) : window.low1();
    }
    if (last >= window.low1()) {
      long upto = Math.min(window.high2(), last + SPAN);
      List<Long> found = uncovered(tx, window, last, upto, share);
      LogParker.parkUnrouted(tx, found, grace);
      parked += found.size();
      last = found.size() == share ? found.get(share - 1) : upto;
    }
    boolean done = last >= window.high2();
    if (done) {
      Progress.closed(tx, lane, UUID.randomUUID(), window.s2(), window.low2());
    } else {
      Progress.open(tx, lane, UUID.randomUUID(), window, last, List.of());
    }
    return new Sweep(parked, !done || open != null);
  }

  /** Whether the cursor has passed everything that was written. */
  private static boolean isSwept(LaneRow row) {
    Cursor cursor = row.cursor();
    return cursor.window() == null
        && cursor.low1() == row.high()
        && cursor.s1().finishedBy(row.now()).isEmpty();
  }

  private static List<Long> uncovered(
      Database.Tx tx, Window window, long last, long upto, int share) throws SQLException {
    List<String> covered = covered(tx, last);
    if (covered.contains(ServedDestination.ALL_TYPES) || last >= upto) {
      return List.of();
    }
    try (Query query = tx.query(UNCOVERED)) {
      query.set("s1", window.s1().text()).set("s2", window.s2().text());
      return seqs(query, last, upto, covered, share);
    }
  }

  private static List<Long> uncoveredStragglers(Database.Tx tx, Window window, long last, int share)
      throws SQLException {
    List<Long> finished = window.stragglers();
    List<String> covered = covered(tx, last);
    if (finished.isEmpty() || covered.contains(ServedDestination.ALL_TYPES)) {
      return List.of();
    }
    try (Query query = tx.query(UNCOVERED_STRAGGLERS)) {
      query.setTexts("finished", finished.stream().map(String::valueOf).toList());
      return seqs(query, last, window.low1(), covered, share);
    }
  }

  private static List<String> covered(Database.Tx tx, long last) throws SQLException {
    try (Query query = tx.query(COVERED)) {
      return query.set("seq", last).rows(row -> row.getString(1));
    }
  }

  private static List<Long> seqs(Query query, long last, long upto, List<String> covered, int share)
      throws SQLException {
    return query
        .set("last", last)
        .set("upto", upto)
        .setTexts("types", covered)
        .set("share", share)
        .rows(row -> row.getLong(1));
  }

  private record Buried(Map<String, Integer> types, boolean more) {}

  private static Buried bury(Database.Tx tx, Lane lane) throws SQLException {
    int forgotten;
    try (Query query = tx.query(FORGET)) {
      forgotten = query.set("destination", lane.destination()).set("share", SHARE).update();
    }
    Map<String, Integer> types = new HashMap<>();
    try (Query query = tx.query(BURY)) {
      query
          .set("destination", lane.destination())
          .set("share", SHARE)
          .set("reason", Reason.NO_ROUTE)
          .set("error", NO_ROUTE)
          .set("fingerprint", Fingerprint.of(Reason.NO_ROUTE, NO_ROUTE, null))
          .rows(row -> types.put(row.getString(1), row.getInt(2)));
    }
    int buried = types.values().stream().mapToInt(Integer::intValue).sum();
    return new Buried(types, forgotten == SHARE || buried == SHARE);
  }
}
