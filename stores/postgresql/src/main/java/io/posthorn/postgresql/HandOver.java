package io.posthorn.postgresql;

import io.posthorn.core.message.Key;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.store.Serving;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Messages that waited for a route go to whoever has come to want them. A destination that got a
 * new route reads nothing from the log before it has them, because they stand before.
 */
final class HandOver {
  /** How many messages one transaction hands over to a destination. */
  private static final int SHARE = 1_000;

  /** How far the unrouted may be behind and still be looked through on the spot. */
  private static final long SPAN = 100_000;

  private static final Sql HOLDS =
      Sql.of(
          "look for unrouted",
          """
          SELECT 1
            FROM posthorn_parked p
           WHERE p.destination = :destination
             AND (:all OR p.type = ANY (:types))
           UNION ALL
          SELECT 1
            FROM posthorn_log l
           WHERE l.seq > :last
             AND NOT pg_visible_in_snapshot(l.tx, (SELECT CAST(:s1 AS pg_snapshot)))
             AND (:all OR l.type = ANY (:types))
             AND NOT EXISTS (SELECT 1
                               FROM posthorn_route r
                              WHERE r.type IN (l.type, '*')
                                AND (l.seq > r.since_seq
                                     OR (NOT pg_visible_in_snapshot(l.tx, r.since)
                                         AND l.recorded_at >= r.since_time)))
           UNION ALL
          SELECT 1
            FROM unnest(CAST(:finished AS text[])) AS finished (tx)
            JOIN posthorn_log l ON l.tx = CAST(finished.tx AS xid8)
           WHERE (:all OR l.type = ANY (:types))
             AND NOT EXISTS (SELECT 1
                               FROM posthorn_route r
                              WHERE r.type IN (l.type, '*')
                                AND (l.seq > r.since_seq
                                     OR (NOT pg_visible_in_snapshot(l.tx, r.since)
                                         AND l.recorded_at >= r.since_time)))
           LIMIT 1
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

  // A message that was requeued: what comes of it with the first who wants it is told of its
  // letter.
  private static final Sql GIVE =
      Sql.of(
          "hand over unrouted",
          """
          WITH given AS (
            UPDATE posthorn_parked p
               SET given_to = p.given_to || CAST(:to AS text)
             WHERE p.destination = :destination
               AND p.message_id = ANY (ARRAY (
                     SELECT q.message_id
                       FROM posthorn_parked q
                      WHERE q.destination = :destination
                        AND :to <> ALL (q.given_to)
                        AND EXISTS (SELECT 1
                                      FROM posthorn_route r
                                     WHERE r.destination = :to
                                       AND r.type IN (q.type, '*'))
                      ORDER BY q.position
                      LIMIT :share))
            RETURNING p.message_id, p.type, p.schema_version, p.aggregate_type, p.key, p.payload, p.content_type,
                      p.headers, p.cipher_key, p.occurred_at, p.recorded_at, p.not_before, p.seq, p.position,
                      CASE WHEN cardinality(p.given_to) = 1 THEN p.dead_letter END AS dead_letter,
                      CASE WHEN cardinality(p.given_to) = 1 THEN p.operation END AS operation
          ), copied AS (
            INSERT INTO posthorn_parked
                   (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type,
                    headers, cipher_key, occurred_at, recorded_at, not_before, seq, position, waiting,
                    next_attempt_at, dead_letter, operation)
            SELECT :to, g.message_id, g.type, g.schema_version, g.aggregate_type, g.key, g.payload, g.content_type,
                   g.headers, g.cipher_key, g.occurred_at, g.recorded_at, g.not_before, g.seq, g.position,
                   CASE WHEN g.not_before > clock_timestamp() THEN 'TIME' ELSE 'TURN' END,
                   CASE WHEN g.not_before > clock_timestamp() THEN g.not_before
                        WHEN g.key IS NULL THEN clock_timestamp() END,
                   g.dead_letter, g.operation
              FROM given g
                ON CONFLICT (destination, message_id) DO NOTHING
          )
          SELECT aggregate_type, key FROM given
          """);

  private static final Sql AWAITED =
      Sql.of(
          "look who waits for unrouted",
          """
          SELECT 1
            FROM posthorn_destination
           WHERE waits_for_unrouted
           LIMIT 1
          """);

  private static final Sql GO_ON =
      Sql.of(
          "let receivers go on",
          """
          UPDATE posthorn_destination
             SET waits_for_unrouted = false
           WHERE waits_for_unrouted
          """);

  private HandOver() {}

  /**
   * Whether messages of these types may still be with the unrouted, or on their way there. For
   * whoever holds the lock on its lane.
   */
  static boolean mayHold(Database.Tx tx, long low, Set<String> types) throws SQLException {
    Lane lane = new Lane(RelayStore.UNROUTED, 0, new UUID(0, 0));
    LaneRow row = LaneRow.look(tx, lane, low);
    Cursor cursor = row.cursor();
    if (cursor.window() != null || row.high() - cursor.low1() > SPAN) {
      return true;
    }
    List<Long> finished = cursor.s1().finishedBy(row.now());
    try (Query query = tx.query(HOLDS)) {
      return query
          .set("destination", lane.destination())
          .set("last", cursor.low1())
          .set("s1", cursor.s1().text())
          .setTexts("finished", finished.stream().map(String::valueOf).toList())
          .set("all", types.contains(Serving.ALL_TYPES))
          .setTexts("types", types)
          .any();
    }
  }

  /** Copies waiting messages to everyone who has come to want them; true if all are handed over. */
  static boolean toAllWhoWant(Database.Tx tx, Lane lane) throws SQLException {
    List<String> receivers;
    try (Query query = tx.query(WANTED_BY)) {
      receivers = query.set("destination", lane.destination()).rows(row -> row.getString(1));
    }
    if (receivers.isEmpty()) {
      return true;
    }
    Lanes.lock(tx, receivers);
    boolean all = true;
    for (String receiver : receivers) {
      all &= give(tx, lane, receiver) < SHARE;
    }
    return all;
  }

  private static int give(Database.Tx tx, Lane lane, String receiver) throws SQLException {
    List<Optional<Key>> given;
    try (Query query = tx.query(GIVE)) {
      given =
          query
              .set("destination", lane.destination())
              .set("to", receiver)
              .set("share", SHARE)
              .rows(ParkedReader::key);
    }
    Set<Key> keys = new HashSet<>();
    given.forEach(key -> key.ifPresent(keys::add));
    ParkedWriter.wake(tx, receiver, keys);
    return given.size();
  }

  /** Whether somebody waits, whatever is remembered of earlier times. */
  static boolean isAwaited(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(AWAITED)) {
      return query.any();
    }
  }

  /** Everything is handed over: whoever waited for it goes on. */
  static void done(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(GO_ON)) {
      query.update();
    }
  }
}
