package io.posthorn.postgresql.parked;

import io.posthorn.core.message.Key;
import io.posthorn.core.store.ClaimLimits;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Lane;
import io.posthorn.postgresql.lane.Buckets;
import io.posthorn.postgresql.lane.LaneRow;
import io.posthorn.postgresql.message.MessageRow;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Finds the parked messages that may be tried now: due heads of keys, and the run behind each. Runs
 * are as long as the page has room for if every key gets the same, so that no key crowds out the
 * others.
 *
 * <p>Indexed columns are compared with the statement's time, which is the same for all rows, unlike
 * the clock, so that the index can end the search. The head of a key is found as the first row in
 * the key's order and not by NOT EXISTS. NOT EXISTS may become a join that scans all parked
 * messages for each row, as long as the server thinks that there are few.
 */
public final class ParkedReader {
  // A scheduled message gets its place in the order when it falls due: behind all messages that are
  // in the log by then.
  public static final Sql FALL_DUE =
      Sql.of(
          "fall due",
          """
          UPDATE posthorn_parked p
             SET waiting = 'TURN',
                 beside = p.key IS NOT NULL AND p.sender IS NULL,
                 position = (SELECT last_value + 1 FROM posthorn_seq),
                 next_attempt_at = CASE WHEN p.key IS NULL THEN clock_timestamp() END
           WHERE p.destination = :destination
             AND p.message_id = ANY (ARRAY (
                   SELECT q.message_id
                     FROM posthorn_parked q
                    WHERE q.destination = :destination
                      AND (:everyBucket OR q.bucket BETWEEN :firstBucket AND :lastBucket)
                      AND q.waiting = 'TIME'
                      AND q.next_attempt_at <= statement_timestamp()
                      AND q.next_attempt_at >= coalesce((SELECT e.due
                                                           FROM posthorn_edge e
                                                          WHERE e.destination = :destination
                                                            AND e.lane = :lane
                                                          ORDER BY e.n DESC
                                                          LIMIT 1), '-infinity')
                    ORDER BY q.next_attempt_at
                    LIMIT :messages))
          RETURNING p.aggregate_type, p.key
          """);

  // The consumer that parked these messages behind others held no lane. The others may have been
  // settled in the meantime, and their settle saw no message behind them to wake. From here on they
  // count as parked by the relay.
  public static final Sql TAKE_UP =
      Sql.of(
          "take up received",
          """
          UPDATE posthorn_parked p
             SET waiting = 'TURN'
           WHERE p.destination = :destination
             AND p.message_id = ANY (ARRAY (
                   SELECT q.message_id
                     FROM posthorn_parked q
                    WHERE q.destination = :destination
                      AND (:everyBucket OR q.bucket BETWEEN :firstBucket AND :lastBucket)
                      AND q.waiting = 'BEHIND'
                      AND q.position >= coalesce((SELECT e.behind
                                                    FROM posthorn_edge e
                                                   WHERE e.destination = :destination
                                                     AND e.lane = :lane
                                                   ORDER BY e.n DESC
                                                   LIMIT 1), 0)
                    ORDER BY q.position
                    LIMIT :most))
          RETURNING p.aggregate_type, p.key
          """);

  /** The most messages that a claim takes up. */
  private static final int MOST_TAKEN_UP = 2_000;

  public static final Sql RUNS =
      Sql.of(
          "read parked",
          """
          WITH head AS MATERIALIZED (
            SELECT due.message_id, due.aggregate_type, due.key,
                   row_number() OVER (ORDER BY due.next_attempt_at) AS place
              FROM (SELECT p.message_id, p.aggregate_type, p.key, p.next_attempt_at
                      FROM posthorn_parked p
                     WHERE p.destination = :destination
                       AND (:everyBucket OR p.bucket BETWEEN :firstBucket AND :lastBucket)
                       AND p.waiting <> 'TIME'
                       AND p.next_attempt_at <= statement_timestamp()
                       AND p.next_attempt_at >= coalesce((SELECT e.due
                                                            FROM posthorn_edge e
                                                           WHERE e.destination = :destination
                                                             AND e.lane = :lane
                                                           ORDER BY e.n DESC
                                                           LIMIT 1), '-infinity')
                       AND (p.key IS NULL
                            OR p.message_id = (SELECT o.message_id
                                                 FROM posthorn_parked o
                                                WHERE o.destination = :destination
                                                  AND o.aggregate_type = p.aggregate_type
                                                  AND o.key = p.key
                                                  AND o.position >= coalesce((SELECT e.position
                                                                                FROM posthorn_key_edge e
                                                                               WHERE e.destination = :destination
                                                                                 AND e.aggregate_type = p.aggregate_type
                                                                                 AND e.key = p.key
                                                                               ORDER BY e.n DESC
                                                                               LIMIT 1), 0)
                                                  AND o.waiting <> 'TIME'
                                                ORDER BY o.position, o.seq
                                                LIMIT 1))
                       AND (SELECT true
                              FROM posthorn_held h
                             WHERE h.destination = :destination
                               AND h.aggregate_type = p.aggregate_type
                               AND h.key = p.key
                             LIMIT 1) IS NULL
                     ORDER BY p.next_attempt_at
                     LIMIT :messages) due
          )
          SELECT seq, message_id, type, schema_version, aggregate_type, key, payload, content_type, headers, cipher_key,
                 (date_part('epoch', occurred_at) * 1000000)::bigint,
                 (date_part('epoch', recorded_at) * 1000000)::bigint,
                 (date_part('epoch', not_before) * 1000000)::bigint,
                 attempts,
                 coalesce(date_part('epoch', clock_timestamp() - first_failed_at), 0)::bigint,
                 attempts_before, once,
                 coalesce(next_attempt_at <= clock_timestamp(), true),
                 (date_part('epoch', clock_timestamp() - CASE WHEN dead_letter IS NULL AND operation IS NULL
                                                              THEN greatest(recorded_at, not_before)
                                                              ELSE parked_at END) * 1000)::bigint,
                 coalesce(date_part('epoch', clock_timestamp() - suspected_at) * 1000, 0)::bigint,
                 sender, CASE WHEN sender IS NULL THEN greatest(seq, position) ELSE coalesce(sequence, 0) END,
                 beside
            FROM (SELECT run.*,
                         sum(bytes) OVER (ORDER BY nth, place ROWS UNBOUNDED PRECEDING) - bytes AS bytes_before
                    FROM (SELECT run.*, head.place, posthorn_bytes(run.payload, run.headers) AS bytes
                            FROM head
                           CROSS JOIN LATERAL
                                 ((SELECT r.seq, r.message_id, r.type, r.schema_version, r.aggregate_type, r.key,
                                          r.payload, r.content_type, r.headers, r.cipher_key, r.occurred_at,
                                          r.recorded_at, r.not_before, r.attempts, r.first_failed_at, r.next_attempt_at,
                                          r.attempts_before, r.once, r.dead_letter, r.operation, r.parked_at, r.suspected_at,
                                          r.position, r.sender, r.sequence, r.beside,
                                          row_number() OVER (ORDER BY r.position, r.seq) AS nth
                                     FROM posthorn_parked r
                                    WHERE r.destination = :destination
                                      AND r.waiting <> 'TIME'
                                      AND r.aggregate_type = head.aggregate_type
                                      AND r.key = head.key
                                      AND r.position >= coalesce((SELECT e.position
                                                                    FROM posthorn_key_edge e
                                                                   WHERE e.destination = :destination
                                                                     AND e.aggregate_type = head.aggregate_type
                                                                     AND e.key = head.key
                                                                   ORDER BY e.n DESC
                                                                   LIMIT 1), 0)
                                    ORDER BY r.position, r.seq
                                    LIMIT greatest(1, :messages / (SELECT count(*) FROM head)))
                                  UNION ALL
                                  SELECT r.seq, r.message_id, r.type, r.schema_version, r.aggregate_type, r.key,
                                          r.payload, r.content_type, r.headers, r.cipher_key, r.occurred_at,
                                          r.recorded_at, r.not_before, r.attempts, r.first_failed_at, r.next_attempt_at,
                                          r.attempts_before, r.once, r.dead_letter, r.operation, r.parked_at, r.suspected_at,
                                          r.position, r.sender, r.sequence, r.beside,
                                         1 AS nth
                                    FROM posthorn_parked r
                                   WHERE head.key IS NULL
                                     AND r.destination = :destination
                                     AND r.message_id = head.message_id) run
                           ORDER BY nth, place
                           LIMIT :messages) run) sized
           WHERE bytes_before < :bytes
           ORDER BY nth, place
          """);

  // These are no longer due but wait for their turn: a message was put before them, or their key is
  // held.
  private static final Sql WAIT_FOR_TURN =
      Sql.of(
          "wait for turn",
          """
          UPDATE posthorn_parked p
             SET next_attempt_at = NULL
           WHERE p.destination = :destination
             AND (:everyBucket OR p.bucket BETWEEN :firstBucket AND :lastBucket)
             AND p.waiting <> 'TIME'
             AND p.next_attempt_at <= statement_timestamp()
             AND p.next_attempt_at >= coalesce((SELECT e.due
                                                  FROM posthorn_edge e
                                                 WHERE e.destination = :destination
                                                   AND e.lane = :lane
                                                 ORDER BY e.n DESC
                                                 LIMIT 1), '-infinity')
             AND (EXISTS (SELECT 1
                            FROM posthorn_parked o
                           WHERE o.destination = p.destination
                             AND o.aggregate_type = p.aggregate_type
                             AND o.key = p.key
                             AND o.position >= coalesce((SELECT e.position
                                                           FROM posthorn_key_edge e
                                                          WHERE e.destination = :destination
                                                            AND e.aggregate_type = p.aggregate_type
                                                            AND e.key = p.key
                                                          ORDER BY e.n DESC
                                                          LIMIT 1), 0)
                             AND o.waiting <> 'TIME'
                             AND (o.position, o.seq) < (p.position, p.seq))
                  OR EXISTS (SELECT 1
                               FROM posthorn_held h
                              WHERE h.destination = p.destination
                                AND h.aggregate_type = p.aggregate_type
                                AND h.key = p.key))
          """);

  private ParkedReader() {}

  static List<Delivery> read(Database.Tx tx, Lane lane, Buckets buckets, ClaimLimits limits)
      throws SQLException {
    takeIn(tx, lane, buckets, limits);
    record Found(Delivery delivery, boolean due, boolean beside) {
      UUID id() {
        return delivery.message().id();
      }
    }
    List<Found> found;
    try (Query query = tx.query(RUNS)) {
      found =
          buckets
              .set(LaneRow.set(query, lane))
              .set("messages", limits.messages())
              .set("bytes", limits.bytes())
              .rows(
                  row ->
                      new Found(
                          MessageRow.fromParked(row), row.getBoolean(18), row.getBoolean(23)));
    }
    if (found.isEmpty()) {
      try (Query query = tx.query(WAIT_FOR_TURN)) {
        buckets.set(LaneRow.set(query, lane)).update();
      }
    }
    Set<UUID> behindUnread =
        UnreadBefore.among(tx, lane, found.stream().filter(Found::beside).map(Found::id).toList());
    // A run ends at the first message whose time has not come: the messages behind it must wait for
    // it.
    Set<Key> ended = new HashSet<>();
    List<Delivery> deliveries = new ArrayList<>();
    for (Found next : found) {
      Key key = next.delivery.message().key();
      if (key == null || !ended.contains(key)) {
        if (next.due && !behindUnread.contains(next.id())) {
          deliveries.add(next.delivery);
        } else if (key != null) {
          ended.add(key);
        }
      }
    }
    return deliveries;
  }

  public static Optional<Key> key(ResultSet row) throws SQLException {
    return Optional.ofNullable(MessageRow.key(row.getString(1), row.getString(2)));
  }

  /** Gives messages that have fallen due, and received ones, their place in the order. */
  private static void takeIn(Database.Tx tx, Lane lane, Buckets buckets, ClaimLimits limits)
      throws SQLException {
    Set<Key> keys = new HashSet<>();
    try (Query query = tx.query(FALL_DUE, TAKE_UP)) {
      buckets
          .set(LaneRow.set(query, lane))
          .set("messages", limits.messages())
          .set("most", MOST_TAKEN_UP);
      for (int statement = 0; statement < 2; statement++) {
        query.rows(ParkedReader::key).forEach(key -> key.ifPresent(keys::add));
      }
    }
    ParkedWriter.wake(tx, lane.destination(), keys);
  }
}
