package io.posthorn.postgresql.parked;

import io.posthorn.core.message.Key;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.Move;
import io.posthorn.postgresql.lane.Buckets;
import io.posthorn.postgresql.lane.LaneRow;
import io.posthorn.postgresql.lane.Lanes;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import io.posthorn.postgresql.sql.SqlFailures;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Edges: where the parked messages of a lane, and of a key, begin. The search for the first message
 * starts there. Deleted rows stay in the indexes as long as any transaction holds an older
 * snapshot, and without an edge every claim and settle would pass all of them.
 *
 * <p>Each lane has edges of its own, for the messages of its buckets. A lane that raised an edge of
 * the whole destination would not see what another lane is just parking below it.
 *
 * <p>No message may be parked below an edge, or another message would overtake it. A transaction
 * that holds the lane's lock sees everything that others have parked under it, and a trigger lowers
 * the edges when a message is parked below them. Consumers park without the lock, with numbers that
 * they draw when their transaction has an id. So an edge never exceeds the numbers drawn before
 * some earlier settle, and all transactions with ids up to that settle's that parked messages have
 * ended: the number of an earlier settle bounds the edges of a later one.
 *
 * <p>Edges are not kept in memory, and no edge is older than the rows it was computed from. So a
 * promoted or restored server knows edges that are right for its rows.
 */
public final class Edges {
  private static final Logger LOG = LoggerFactory.getLogger(Edges.class);

  /** The edge is raised after about this many messages have gone. */
  private static final int EVERY = 32;

  // The safe number of the row before bounds what this statement sees. The one that it makes safe
  // is for later statements. A transaction that runs for long may be one that never parks, which
  // its locks show. Times begin again if the clock was set back.
  public static final Sql RAISE =
      Sql.of(
          "raise edge",
          """
          INSERT INTO posthorn_edge (destination, lane, position, behind, due, oldest, safe, safe_at, low, low_at, low_tx)
          SELECT :destination, :lane,
                 least((SELECT p.position
                          FROM posthorn_parked p
                         WHERE p.destination = :destination
                           AND p.position >= e.position
                           AND (:everyBucket OR p.bucket BETWEEN :firstBucket AND :lastBucket)
                           AND p.waiting <> 'TIME'
                         ORDER BY p.position
                         LIMIT 1), e.safe + 1),
                 least((SELECT p.position
                          FROM posthorn_parked p
                         WHERE p.destination = :destination
                           AND p.position >= e.behind
                           AND (:everyBucket OR p.bucket BETWEEN :firstBucket AND :lastBucket)
                           AND p.waiting = 'BEHIND'
                         ORDER BY p.position
                         LIMIT 1), e.safe + 1),
                 least((SELECT min(p.next_attempt_at)
                          FROM posthorn_parked p
                         WHERE p.destination = :destination
                           AND p.next_attempt_at >= e.due
                           AND (:everyBucket OR p.bucket BETWEEN :firstBucket AND :lastBucket)
                           AND p.waiting <> 'TIME'), scheduled.due, e.safe_at),
                 least((SELECT min(greatest(p.recorded_at, p.not_before))
                          FROM posthorn_parked p
                         WHERE p.destination = :destination
                           AND greatest(p.recorded_at, p.not_before) >= e.oldest
                           AND (:everyBucket OR p.bucket BETWEEN :firstBucket AND :lastBucket)
                           AND p.waiting <> 'TIME'), scheduled.due, e.safe_at),
                 CASE WHEN ended.ready THEN e.low ELSE e.safe END,
                 CASE WHEN ended.ready THEN e.low_at ELSE e.safe_at END,
                 CASE WHEN ended.ready THEN greatest(:low, e.low) ELSE e.low END,
                 CASE WHEN ended.ready THEN transaction_timestamp() ELSE e.low_at END,
                 CASE WHEN ended.ready THEN pg_current_xact_id() ELSE e.low_tx END
            FROM (SELECT coalesce(x.position, 0) AS position,
                         coalesce(x.behind, 0) AS behind,
                         CASE WHEN x.low_at <= clock_timestamp() THEN x.due ELSE '-infinity' END AS due,
                         CASE WHEN x.low_at <= clock_timestamp() THEN x.oldest ELSE '-infinity' END AS oldest,
                         coalesce(x.safe, 0) AS safe,
                         CASE WHEN x.low_at <= clock_timestamp() THEN x.safe_at ELSE '-infinity' END AS safe_at,
                         coalesce(x.low, 0) AS low,
                         CASE WHEN x.low_at <= clock_timestamp() THEN x.low_at ELSE '-infinity' END AS low_at,
                         coalesce(x.low_tx, '0') AS low_tx
                    FROM (VALUES (1)) AS one (row)
                    LEFT JOIN LATERAL
                         (SELECT y.position, y.behind, y.due, y.oldest, y.safe, y.safe_at, y.low, y.low_at, y.low_tx
                            FROM posthorn_edge y
                           WHERE y.destination = :destination
                             AND y.lane = :lane
                           ORDER BY y.n DESC
                           LIMIT 1) x ON true) e
           CROSS JOIN LATERAL
                 (SELECT min(p.next_attempt_at) AS due
                    FROM posthorn_parked p
                   WHERE p.destination = :destination
                     AND p.next_attempt_at >= e.due
                     AND (:everyBucket OR p.bucket BETWEEN :firstBucket AND :lastBucket)
                     AND p.waiting = 'TIME') scheduled
           CROSS JOIN LATERAL
                 (SELECT pg_snapshot_xmin(pg_current_snapshot()) > e.low_tx
                         OR NOT EXISTS (SELECT 1
                                          FROM pg_locks r
                                          JOIN pg_locks t ON t.virtualtransaction = r.virtualtransaction
                                         WHERE r.relation = CAST('posthorn_parked' AS regclass)
                                           AND r.mode = 'RowExclusiveLock'
                                           AND t.locktype = 'transactionid'
                                           AND t.mode = 'ExclusiveLock'
                                           AND (CAST(CAST(e.low_tx AS text) AS bigint)
                                                - CAST(CAST(t.transactionid AS text) AS bigint)) & 4294967295 < 2147483648)
                           AS ready) ended
          """);

  public static final Sql RAISE_KEYS =
      Sql.of(
          "raise edges of keys",
          """
          INSERT INTO posthorn_key_edge (destination, aggregate_type, key, position)
          SELECT :destination, k.aggregate_type, k.key, now.position
            FROM unnest(CAST(:aggregateTypes AS text[]), CAST(:keys AS text[])) AS k (aggregate_type, key)
           CROSS JOIN LATERAL
                 (SELECT x.safe
                    FROM posthorn_edge x
                   WHERE x.destination = :destination
                     AND x.lane = :lane
                   ORDER BY x.n DESC
                   LIMIT 1) e
           CROSS JOIN LATERAL
                 (SELECT coalesce((SELECT x.position
                                     FROM posthorn_key_edge x
                                    WHERE x.destination = :destination
                                      AND x.aggregate_type = k.aggregate_type
                                      AND x.key = k.key
                                    ORDER BY x.n DESC
                                    LIMIT 1), 0) AS position
                  OFFSET 0) before
           CROSS JOIN LATERAL
                 (SELECT least((SELECT p.position
                                  FROM posthorn_parked p
                                 WHERE p.destination = :destination
                                   AND p.aggregate_type = k.aggregate_type
                                   AND p.key = k.key
                                   AND p.position >= before.position
                                   AND p.waiting <> 'TIME'
                                 ORDER BY p.position, p.seq
                                 LIMIT 1), e.safe + 1) AS position
                  OFFSET 0) now
           WHERE now.position > before.position
          """);

  // Only a clock that is set back produces a time below the edge. That is too rare to check at
  // every claim. The search takes no lock first, as for orphans.
  private static final Sql OVERLOOKED =
      Sql.of(
          "find overlooked",
          """
          SELECT DISTINCT n.destination
            FROM posthorn_lane n
           CROSS JOIN LATERAL
                 (SELECT x.due
                    FROM posthorn_edge x
                   WHERE x.destination = n.destination
                     AND x.lane = n.lane
                   ORDER BY x.n DESC
                   LIMIT 1) e
           WHERE least((SELECT min(p.next_attempt_at)
                          FROM posthorn_parked p
                         WHERE p.destination = n.destination
                           AND p.bucket BETWEEN n.first_bucket AND n.last_bucket
                           AND p.waiting <> 'TIME'),
                       (SELECT min(p.next_attempt_at)
                          FROM posthorn_parked p
                         WHERE p.destination = n.destination
                           AND p.bucket BETWEEN n.first_bucket AND n.last_bucket
                           AND p.waiting = 'TIME')) < e.due
           ORDER BY n.destination
          """);

  private static final Sql BEGIN_ANEW =
      Sql.of(
          "begin times anew",
          """
          INSERT INTO posthorn_edge (destination, lane, position, behind, due, oldest, safe, safe_at, low, low_at, low_tx)
          SELECT n.destination, n.lane, x.position, x.behind, '-infinity', '-infinity', x.safe, '-infinity', x.low,
                 x.low_at, x.low_tx
            FROM posthorn_lane n
           CROSS JOIN LATERAL
                 (SELECT e.position, e.behind, e.safe, e.low, e.low_at, e.low_tx
                    FROM posthorn_edge e
                   WHERE e.destination = n.destination
                     AND e.lane = n.lane
                   ORDER BY e.n DESC
                   LIMIT 1) x
           WHERE n.destination = :destination
          """);

  private Edges() {}

  /** Verifies that no message is below a time that is only a hint; called by a purge. */
  static void makeSure(Database database) {
    List<String> found =
        database.transaction(
            "looking for overlooked messages",
            tx -> {
              try (Query query = tx.query(OVERLOOKED)) {
                return query.rows(row -> row.getString(1));
              }
            });
    for (String destination : found) {
      database.transaction(
          "making sure of what is due of '" + destination + "'",
          tx -> {
            Lanes.lock(tx, destination);
            try (Query query = tx.query(BEGIN_ANEW)) {
              return query.set("destination", destination).update();
            }
          });
    }
  }

  /**
   * Raises the edges after the moves of a settle. The caller has locked the lane.
   *
   * @param low the sequence's value before this transaction had an id
   */
  public static void raise(Database.Tx tx, Lane lane, Buckets buckets, long low, List<Move> moves)
      throws SQLException {
    int gone = 0;
    Map<Key, Integer> goneOf = new HashMap<>();
    for (Move move : moves) {
      if (move.delivery().parked() && !(move instanceof Move.Park)) {
        gone++;
        Key key = move.delivery().message().key();
        if (key != null) {
          goneOf.merge(key, 1, Integer::sum);
        }
      }
    }
    if (!worthIt(gone)) {
      return;
    }
    Set<Key> keys = new HashSet<>();
    goneOf.forEach(
        (key, count) -> {
          if (worthIt(count)) {
            keys.add(key);
          }
        });
    try {
      tx.trying(
          () -> {
            raise(tx, lane, buckets, low, keys);
            return true;
          });
    } catch (SQLException e) {
      // No message of this settle is at fault. Searches only get slower while the edges stay.
      if (!SqlFailures.isRefusal(e)) {
        throw e;
      }
      LOG.debug("The edges of lane {} stay where they are: {}", lane, e.getMessage());
    }
  }

  private static void raise(Database.Tx tx, Lane lane, Buckets buckets, long low, Set<Key> keys)
      throws SQLException {
    try (Query query = tx.query(RAISE)) {
      buckets.set(LaneRow.set(query, lane)).set("low", low).update();
    }
    if (!keys.isEmpty()) {
      try (Query query = tx.query(RAISE_KEYS)) {
        LaneRow.set(query, lane).setKeys(keys).update();
      }
    }
  }

  /** Decides by chance, so that no count of earlier messages is needed. */
  private static boolean worthIt(int gone) {
    return gone >= EVERY || ThreadLocalRandom.current().nextInt(EVERY) < gone;
  }
}
