package io.posthorn.postgresql.route;

import io.posthorn.core.message.Key;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.postgresql.lane.Cursor;
import io.posthorn.postgresql.lane.LaneRow;
import io.posthorn.postgresql.lane.Lanes;
import io.posthorn.postgresql.message.RowByRow;
import io.posthorn.postgresql.parked.LastResort;
import io.posthorn.postgresql.parked.ParkedReader;
import io.posthorn.postgresql.parked.ParkedWriter;
import io.posthorn.postgresql.parked.ReusedIds;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import io.posthorn.postgresql.sql.SqlFailures;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Hands messages that waited for a route over to the destinations that want them now. A destination
 * with a new route reads nothing from the log until it has them, because they come first.
 */
public final class HandOver {
  /** How many seqs unrouted may be behind and still be searched at registration. */
  private static final long SPAN = 100_000;

  /** How many messages one transaction hands over to a destination. */
  private static final int SHARE = 1_000;

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
                                AND posthorn_covers(r.since_seq, r.since, r.since_time, l.seq, l.tx, l.recorded_at))
           UNION ALL
          SELECT 1
            FROM unnest(CAST(:finished AS text[])) AS finished (tx)
            JOIN posthorn_log l ON l.tx = CAST(finished.tx AS xid8)
           WHERE (:all OR l.type = ANY (:types))
             AND NOT EXISTS (SELECT 1
                               FROM posthorn_route r
                              WHERE r.type IN (l.type, '*')
                                AND posthorn_covers(r.since_seq, r.since, r.since_time, l.seq, l.tx, l.recorded_at))
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

  // If the message was requeued, its dead letter goes with the copy for the first destination that
  // wants it. Both conditions on not_before must see the same time, or else a message waits for one
  // it lacks.
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
                      p.dead_letter, p.operation
          ), copied AS (
            INSERT INTO posthorn_parked
                   (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type,
                    headers, cipher_key, occurred_at, recorded_at, not_before, seq, position, waiting,
                    next_attempt_at, dead_letter, operation, beside)
            SELECT :to, g.message_id, g.type, g.schema_version, g.aggregate_type, g.key, g.payload, g.content_type,
                   g.headers, g.cipher_key, g.occurred_at, g.recorded_at, g.not_before, g.seq, g.position,
                   CASE WHEN g.not_before > statement_timestamp() THEN 'TIME' ELSE 'TURN' END,
                   CASE WHEN g.not_before > statement_timestamp() THEN g.not_before
                        WHEN g.key IS NULL THEN clock_timestamp() END,
                   g.dead_letter, g.operation, g.key IS NOT NULL
              FROM given g
                ON CONFLICT (destination, message_id) DO NOTHING
            RETURNING message_id
          )
          SELECT aggregate_type, key,
                 CASE WHEN dead_letter IS NOT NULL THEN message_id END AS requeued,
                 CASE WHEN message_id NOT IN (SELECT c.message_id FROM copied c) THEN message_id END AS not_copied
            FROM given
          """);

  // From here on the dead letter belongs to the copy, and receives its outcome. If there is no
  // copy, because the receiver has the message already or will read it from the log, then being
  // handed over is the outcome. If another message with its id is parked there, the message is dead
  // there.
  private static final Sql PART =
      Sql.of(
          "part letters from handed over",
          """
          WITH parted AS (
            UPDATE posthorn_parked p
               SET dead_letter = NULL,
                   operation = NULL
              FROM posthorn_parked before
             WHERE p.destination = :destination
               AND p.message_id = ANY (:ids)
               AND before.destination = p.destination
               AND before.message_id = p.message_id
            RETURNING before.message_id, before.seq, before.dead_letter, before.operation
          ), over AS (
            SELECT t.dead_letter, t.operation,
                   EXISTS (SELECT 1
                             FROM posthorn_parked other
                            WHERE other.destination = :to
                              AND other.message_id = t.message_id
                              AND other.seq <> t.seq) AS died
              FROM parted t
             WHERE NOT EXISTS (SELECT 1
                                 FROM posthorn_parked copy
                                WHERE copy.destination = :to
                                  AND copy.message_id = t.message_id
                                  AND copy.dead_letter = t.dead_letter)
          ), counted AS (
            INSERT INTO posthorn_operation_outcome (operation, sent, died, retrying)
            SELECT operation, count(*) FILTER (WHERE NOT died), count(*) FILTER (WHERE died), 0
              FROM over
             WHERE operation IS NOT NULL
             GROUP BY operation
          )
          UPDATE posthorn_dead
             SET outcome = CASE WHEN id = ANY (ARRAY (SELECT dead_letter FROM over WHERE died)) THEN 'DEAD' ELSE 'SENT' END,
                 outcome_at = clock_timestamp()
           WHERE id = ANY (ARRAY (SELECT dead_letter FROM over))
          """);

  private static final Sql NEXT =
      Sql.of(
          "find next to hand over",
          """
          SELECT q.message_id
            FROM posthorn_parked q
           WHERE q.destination = :destination
             AND :to <> ALL (q.given_to)
             AND EXISTS (SELECT 1
                           FROM posthorn_route r
                          WHERE r.destination = :to
                            AND r.type IN (q.type, '*'))
           ORDER BY q.position
           LIMIT 1
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
           WHERE name = ANY (ARRAY (
                   SELECT name
                     FROM posthorn_destination
                    WHERE waits_for_unrouted
                    ORDER BY name
                      FOR NO KEY UPDATE))
          """);

  private HandOver() {}

  /**
   * Whether unrouted may hold messages of these types, parked or still in the log.
   *
   * @param row the lane of unrouted, which the caller has locked
   */
  static boolean mayHold(Database.Tx tx, LaneRow row, Set<String> types) throws SQLException {
    Cursor cursor = row.cursor();
    if (cursor.window() != null || row.high() - cursor.low1() > SPAN) {
      return true;
    }
    List<Long> finished = cursor.s1().finishedBy(row.now());
    try (Query query = tx.query(HOLDS)) {
      return query
          .set("destination", RelayStore.UNROUTED)
          .set("last", cursor.low1())
          .set("s1", cursor.s1().text())
          .setTexts("finished", finished.stream().map(String::valueOf).toList())
          .set("all", types.contains(ServedDestination.ALL_TYPES))
          .setTexts("types", types)
          .any();
    }
  }

  /**
   * Copies waiting messages to all destinations that want them, with the usual share for each
   * transaction.
   */
  public static boolean toAllWhoWant(Database.Tx tx, Lane lane) throws SQLException {
    return toAllWhoWant(tx, lane, SHARE);
  }

  /**
   * Copies waiting messages to all destinations that want them. Returns true if all are handed
   * over.
   *
   * @param share the most messages for each destination in one transaction
   */
  static boolean toAllWhoWant(Database.Tx tx, Lane lane, int share) throws SQLException {
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
      all &= give(tx, lane, receiver, share) < share;
    }
    return all;
  }

  /**
   * Gives each destination the next message that it wants, alone. If the database refuses that, the
   * message becomes a dead letter of unrouted.
   */
  static boolean buryNext(Database.Tx tx, Lane lane) throws SQLException {
    List<String> receivers;
    try (Query query = tx.query(WANTED_BY)) {
      receivers = query.set("destination", lane.destination()).rows(row -> row.getString(1));
    }
    Lanes.lock(tx, receivers);
    for (String receiver : receivers) {
      try {
        tx.trying(() -> give(tx, lane, receiver, 1));
      } catch (SQLException e) {
        if (!SqlFailures.isRefusal(e)) {
          throw e;
        }
        bury(tx, lane, receiver, e);
      }
    }
    return false;
  }

  private static void bury(Database.Tx tx, Lane lane, String receiver, SQLException why)
      throws SQLException {
    UUID id;
    try (Query query = tx.query(NEXT)) {
      id =
          query
              .set("destination", lane.destination())
              .set("to", receiver)
              .first(row -> row.getObject(1, UUID.class));
    }
    if (id != null) {
      Delivery delivery = RowByRow.ofParked(tx, lane.destination(), id, why);
      new LastResort(tx, lane.destination()).bury(List.of(RowByRow.burial(delivery)));
    }
  }

  private static int give(Database.Tx tx, Lane lane, String receiver, int share)
      throws SQLException {
    List<Optional<Key>> given;
    List<UUID> requeued = new ArrayList<>();
    List<UUID> notCopied = new ArrayList<>();
    try (Query query = tx.query(GIVE)) {
      given =
          query
              .set("destination", lane.destination())
              .set("to", receiver)
              .set("share", share)
              .rows(
                  row -> {
                    UUID id = row.getObject("requeued", UUID.class);
                    if (id != null) {
                      requeued.add(id);
                    }
                    UUID left = row.getObject("not_copied", UUID.class);
                    if (left != null) {
                      notCopied.add(left);
                    }
                    return ParkedReader.key(row);
                  });
    }
    ReusedIds.buryHandedOver(tx, receiver, notCopied);
    part(tx, requeued, receiver);
    Set<Key> keys = new HashSet<>();
    given.forEach(key -> key.ifPresent(keys::add));
    ParkedWriter.wake(tx, receiver, keys);
    return given.size();
  }

  /** Parts these messages, which were requeued and are now handed over, from their dead letters. */
  static void part(Database.Tx tx, List<UUID> requeued, String receiver) throws SQLException {
    if (!requeued.isEmpty()) {
      try (Query query = tx.query(PART)) {
        query
            .set("destination", RelayStore.UNROUTED)
            .setUuids("ids", requeued)
            .set("to", receiver)
            .update();
      }
    }
  }

  /** Whether any destination waits for unrouted, whatever this relay remembers. */
  static boolean isAwaited(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(AWAITED)) {
      return query.any();
    }
  }

  /** Lets waiting destinations continue, because everything is handed over. */
  public static void done(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(GO_ON)) {
      query.update();
    }
  }
}
