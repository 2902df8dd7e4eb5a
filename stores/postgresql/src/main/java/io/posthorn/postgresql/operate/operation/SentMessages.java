package io.posthorn.postgresql.operate.operation;

import io.posthorn.core.message.Key;
import io.posthorn.core.operate.operation.Action;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.core.operate.operation.SentQuery;
import io.posthorn.postgresql.lane.Lanes;
import io.posthorn.postgresql.message.MessageRow;
import io.posthorn.postgresql.parked.ParkedWriter;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Counts the messages of the log that a destination has passed, and parks copies of them to be sent
 * again. Messages that the cursor of their lane has not passed are left out, because they arrive
 * anyway. Parked messages, dead letters, and messages of held or paused keys are left out, because
 * a decision about them is pending.
 */
final class SentMessages {
  /** How many sequence numbers a step reads, so that it ends soon even if nothing matches. */
  private static final long SPAN = 100_000;

  private static final Sql COUNT =
      Sql.of(
          "count sent",
          """
          SELECT count(*)
            FROM posthorn_log l
           CROSS JOIN posthorn_places(:destination) c
           WHERE l.seq > :last
             AND l.seq <= :upto
             AND l.recorded_at >= coalesce(CAST(:from AS timestamptz), '-infinity')
             AND l.recorded_at < coalesce(CAST(:to AS timestamptz), 'infinity')
             AND (CAST(:type AS text) IS NULL OR l.type = CAST(:type AS text))
             AND (CAST(:key AS text) IS NULL
                  OR (coalesce(l.aggregate_type, '') = CAST(:aggregateType AS text) AND l.key = CAST(:key AS text)))
             AND (:anyId OR l.id = ANY (:ids))
             AND posthorn_settled(
                   l.tx, l.seq,
                   c.s1s[posthorn_place(c.firsts, l.aggregate_type, l.key, l.id)],
                   c.s2s[posthorn_place(c.firsts, l.aggregate_type, l.key, l.id)],
                   c.lasts[posthorn_place(c.firsts, l.aggregate_type, l.key, l.id)],
                   c.ahead)
             AND (EXISTS (SELECT 1
                            FROM posthorn_route r
                           WHERE r.destination = :destination
                             AND r.type IN (l.type, '*')
                             AND (:rewind
                                  OR posthorn_covers(r.since_seq, r.since, r.since_time, l.seq, l.tx, l.recorded_at)))
                  OR EXISTS (SELECT 1
                               FROM posthorn_attempt a
                              WHERE a.message_id = l.id
                                AND a.destination = :destination
                                AND a.outcome = 'SENT'))
             AND NOT EXISTS (SELECT 1
                               FROM posthorn_parked q
                              WHERE q.destination = :destination
                                AND q.message_id = l.id
                                AND q.seq = l.seq)
             AND NOT EXISTS (SELECT 1
                               FROM posthorn_held h
                              WHERE h.destination = :destination
                                AND h.aggregate_type = coalesce(l.aggregate_type, '')
                                AND h.key = l.key)
             AND NOT EXISTS (SELECT 1
                               FROM posthorn_dead x
                              WHERE x.message_id = l.id
                                AND x.destination = :destination
                                AND x.seq = l.seq
                                AND x.state IN ('DEAD', 'DISCARDED'))
          """);

  private static final Sql NEXT =
      Sql.of(
          "next sent",
          """
          SELECT l.seq, l.id, l.aggregate_type, l.key
            FROM posthorn_log l
           CROSS JOIN posthorn_places(:destination) c
           WHERE l.seq > :last
             AND l.seq <= :upto
             AND l.recorded_at >= coalesce(CAST(:from AS timestamptz), '-infinity')
             AND l.recorded_at < coalesce(CAST(:to AS timestamptz), 'infinity')
             AND (CAST(:type AS text) IS NULL OR l.type = CAST(:type AS text))
             AND (CAST(:key AS text) IS NULL
                  OR (coalesce(l.aggregate_type, '') = CAST(:aggregateType AS text) AND l.key = CAST(:key AS text)))
             AND (:anyId OR l.id = ANY (:ids))
             AND posthorn_settled(
                   l.tx, l.seq,
                   c.s1s[posthorn_place(c.firsts, l.aggregate_type, l.key, l.id)],
                   c.s2s[posthorn_place(c.firsts, l.aggregate_type, l.key, l.id)],
                   c.lasts[posthorn_place(c.firsts, l.aggregate_type, l.key, l.id)],
                   c.ahead)
             AND (EXISTS (SELECT 1
                            FROM posthorn_route r
                           WHERE r.destination = :destination
                             AND r.type IN (l.type, '*')
                             AND (:rewind
                                  OR posthorn_covers(r.since_seq, r.since, r.since_time, l.seq, l.tx, l.recorded_at)))
                  OR EXISTS (SELECT 1
                               FROM posthorn_attempt a
                              WHERE a.message_id = l.id
                                AND a.destination = :destination
                                AND a.outcome = 'SENT'))
             AND NOT EXISTS (SELECT 1
                               FROM posthorn_parked q
                              WHERE q.destination = :destination
                                AND q.message_id = l.id
                                AND q.seq = l.seq)
             AND NOT EXISTS (SELECT 1
                               FROM posthorn_held h
                              WHERE h.destination = :destination
                                AND h.aggregate_type = coalesce(l.aggregate_type, '')
                                AND h.key = l.key)
             AND NOT EXISTS (SELECT 1
                               FROM posthorn_dead x
                              WHERE x.message_id = l.id
                                AND x.destination = :destination
                                AND x.seq = l.seq
                                AND x.state IN ('DEAD', 'DISCARDED'))
           ORDER BY l.seq
           LIMIT :limit
          """);

  private static final Sql EXCLUDE =
      Sql.of("exclude retention", "SELECT 1 FROM posthorn_meta FOR SHARE SKIP LOCKED");

  // The first successful attempt is not recorded, but it counts.
  private static final Sql PARK =
      Sql.of(
          "send again",
          """
          INSERT INTO posthorn_parked
                 (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type, headers,
                  cipher_key, occurred_at, recorded_at, not_before, seq, position, waiting, next_attempt_at,
                  attempts, attempts_before, operation)
          SELECT :destination, l.id, l.type, l.schema_version,
                 posthorn_key_type(l.aggregate_type, l.key), l.key, l.payload, l.content_type,
                 l.headers, l.cipher_key, l.occurred_at, l.recorded_at, l.not_before, l.seq, l.seq, 'TURN',
                 CASE WHEN l.key IS NULL THEN clock_timestamp() END, n.attempts, n.attempts, :operation
            FROM posthorn_log l
           CROSS JOIN LATERAL
                 (SELECT greatest(1, max(a.attempt)) AS attempts
                    FROM posthorn_attempt a
                   WHERE a.message_id = l.id
                     AND a.destination = :destination) n
           WHERE l.seq = ANY (:seqs)
              ON CONFLICT (destination, message_id) DO NOTHING
          """);

  /** What a step found, and how far it read, in case that is nothing. */
  record Found(List<OperationSteps.Item> items, Set<Key> keys, long lookedUpTo) {}

  private record Row(OperationSteps.Item item, @Nullable Key key) {}

  private final Database database;

  SentMessages(Database database) {
    this.database = database;
  }

  long count(Plan plan) {
    SentQuery asked = plan.messages();
    SeqBounds bounds = SeqBounds.of(database, asked);
    return database.ask(
        "counting what was sent",
        COUNT,
        query ->
            Objects.requireNonNull(
                set(query, asked, plan.action() == Action.REWIND, bounds.after(), bounds.upto())
                    .first(row -> row.getLong(1))));
  }

  /**
   * Keeps retention and adopt, which change the log, away from this step. Returns false if one of
   * them is running: the caller must not wait for them, because it has locked the operation, and
   * adopt stops operations.
   */
  static boolean exclude(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(EXCLUDE)) {
      return query.any();
    }
  }

  /** Finds the next messages. The caller has called {@link #exclude} and got true. */
  static Found next(
      Database.Tx tx, SentQuery asked, boolean rewind, long last, long upto, int limit)
      throws SQLException {
    long end = Math.min(upto, last + SPAN);
    List<Row> rows;
    try (Query query = tx.query(NEXT)) {
      rows = set(query, asked, rewind, last, end).set("limit", limit).rows(SentMessages::row);
    }
    Set<Key> keys = new HashSet<>();
    for (Row row : rows) {
      if (row.key != null) {
        keys.add(row.key);
      }
    }
    return new Found(rows.stream().map(Row::item).toList(), keys, end);
  }

  private static Row row(ResultSet row) throws SQLException {
    return new Row(
        new OperationSteps.Item(row.getLong("seq"), row.getObject("id", UUID.class)),
        MessageRow.key(row));
  }

  private static Query set(Query query, SentQuery asked, boolean rewind, long last, long upto)
      throws SQLException {
    Key key = asked.key();
    return query
        .set("destination", asked.destination())
        .set("last", last)
        .set("upto", upto)
        .set("from", asked.from() == null ? null : asked.from().toString())
        .set("to", asked.to() == null ? null : asked.to().toString())
        .set("type", asked.type())
        .set("aggregateType", key == null ? null : key.aggregateType())
        .set("key", key == null ? null : key.id())
        .set("anyId", asked.ids().isEmpty())
        .setUuids("ids", asked.ids())
        .set("rewind", rewind);
  }

  /**
   * Parks the messages and returns how many. Messages that were parked meanwhile stay unchanged.
   */
  static int park(Database.Tx tx, String destination, Found found, UUID operation)
      throws SQLException {
    if (!Lanes.lock(tx, destination)) {
      return 0;
    }
    int parked;
    try (Query query = tx.query(PARK)) {
      parked =
          query
              .set("destination", destination)
              .set("operation", operation)
              .setLongs("seqs", found.items.stream().map(OperationSteps.Item::position).toList())
              .update();
    }
    ParkedWriter.wake(tx, destination, found.keys);
    return parked;
  }
}
