package io.posthorn.postgresql.parked;

import io.posthorn.core.message.Key;
import io.posthorn.core.operate.steering.ParkedMessage;
import io.posthorn.core.store.Waiting;
import io.posthorn.postgresql.message.MessageRow;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import io.posthorn.postgresql.sql.Times;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Lists parked messages, a page at a time, however many there are. Every part of a list is read in
 * the order of an index and no further than the page. Only keys whose first message has no time are
 * searched key by key.
 */
public final class ParkedLister {
  private static final Sql PLACE =
      Sql.of(
          "find parked",
          """
          SELECT next_attempt_at::text AS due_at, waiting = 'TIME' AS scheduled, aggregate_type, key, position, seq
            FROM posthorn_parked
           WHERE destination = :destination
             AND message_id = :id
          """);

  // A message with a time may still be behind another one of its key.
  private static final Sql BY_TIME =
      Sql.of(
          "list parked by time",
          """
          SELECT message_id
            FROM (SELECT tried.message_id, tried.next_attempt_at
                    FROM (SELECT p.message_id, p.next_attempt_at
                            FROM posthorn_parked p
                           WHERE p.destination = :destination
                             AND p.waiting <> 'TIME'
                             AND p.next_attempt_at IS NOT NULL
                             AND (p.next_attempt_at, p.message_id) > (CAST(:at AS timestamptz), :id)
                             AND (SELECT true
                                    FROM posthorn_parked o
                                   WHERE o.destination = p.destination
                                     AND o.aggregate_type = p.aggregate_type
                                     AND o.key = p.key
                                     AND o.waiting <> 'TIME'
                                     AND (o.position, o.seq) < (p.position, p.seq)
                                   LIMIT 1) IS NULL
                           ORDER BY p.next_attempt_at, p.message_id
                           LIMIT :limit) tried
                  UNION ALL
                  SELECT scheduled.message_id, scheduled.next_attempt_at
                    FROM (SELECT p.message_id, p.next_attempt_at
                            FROM posthorn_parked p
                           WHERE p.destination = :destination
                             AND p.waiting = 'TIME'
                             AND (p.next_attempt_at, p.message_id) > (CAST(:at AS timestamptz), :id)
                           ORDER BY p.next_attempt_at, p.message_id
                           LIMIT :limit) scheduled) timed
           ORDER BY next_attempt_at, message_id
           LIMIT :limit
          """);

  // From the first message of one key to the first of the next. Those with a time are on the list
  // already.
  private static final Sql BY_KEY =
      Sql.of(
          "list parked by key",
          """
          WITH RECURSIVE head AS (
            (SELECT p.message_id, p.aggregate_type, p.key, p.next_attempt_at
               FROM posthorn_parked p
              WHERE p.destination = :destination
                AND p.waiting <> 'TIME'
                AND p.key IS NOT NULL
                AND (p.aggregate_type, p.key) > (:aggregateType, :key)
              ORDER BY p.aggregate_type, p.key, p.position, p.seq
              LIMIT 1)
            UNION ALL
            SELECT next.message_id, next.aggregate_type, next.key, next.next_attempt_at
              FROM head
             CROSS JOIN LATERAL
                   (SELECT p.message_id, p.aggregate_type, p.key, p.next_attempt_at
                      FROM posthorn_parked p
                     WHERE p.destination = :destination
                       AND p.waiting <> 'TIME'
                       AND p.key IS NOT NULL
                       AND (p.aggregate_type, p.key) > (head.aggregate_type, head.key)
                     ORDER BY p.aggregate_type, p.key, p.position, p.seq
                     LIMIT 1) next
          )
          SELECT message_id
            FROM head
           WHERE next_attempt_at IS NULL
           LIMIT :limit
          """);

  private static final Sql WITHOUT_KEY =
      Sql.of(
          "list parked without a key",
          """
          SELECT message_id
            FROM posthorn_parked
           WHERE destination = :destination
             AND waiting <> 'TIME'
             AND aggregate_type IS NULL
             AND key IS NULL
             AND next_attempt_at IS NULL
             AND (position, seq) > (:position, :seq)
           ORDER BY position, seq
           LIMIT :limit
          """);

  private static final Sql OF_KEY =
      Sql.of(
          "list parked of a key",
          """
          SELECT message_id
            FROM posthorn_parked
           WHERE destination = :destination
             AND aggregate_type = :aggregateType
             AND key = :key
             AND waiting <> 'TIME'
             AND (position, seq) > (:position, :seq)
           ORDER BY position, seq
           LIMIT :limit
          """);

  private static final Sql SCHEDULED_OF_KEY =
      Sql.of(
          "list scheduled of a key",
          """
          SELECT message_id
            FROM posthorn_parked
           WHERE destination = :destination
             AND aggregate_type = :aggregateType
             AND key = :key
             AND waiting = 'TIME'
             AND (position, seq) > (:position, :seq)
           ORDER BY position, seq
           LIMIT :limit
          """);

  private static final Sql READ =
      Sql.of(
          "read parked",
          """
          SELECT p.message_id, p.type, p.aggregate_type, p.key, p.waiting, p.attempts, p.next_attempt_at, p.last_reason,
                 p.last_error,
                 EXISTS (SELECT 1
                           FROM posthorn_held h
                          WHERE h.destination = p.destination
                            AND h.aggregate_type = p.aggregate_type
                            AND h.key = p.key
                            AND NOT h.paused) AS held,
                 EXISTS (SELECT 1
                           FROM posthorn_held h
                          WHERE h.destination = p.destination
                            AND h.aggregate_type = p.aggregate_type
                            AND h.key = p.key
                            AND h.paused) AS key_paused,
                 (SELECT count(*)
                    FROM (SELECT 1
                            FROM posthorn_parked o
                           WHERE o.destination = p.destination
                             AND o.aggregate_type = p.aggregate_type
                             AND o.key = p.key
                             AND o.waiting <> 'TIME'
                             AND p.waiting <> 'TIME'
                             AND (o.position, o.seq) > (p.position, p.seq)
                           LIMIT :most) counted) AS behind
            FROM unnest(CAST(:ids AS uuid[])) WITH ORDINALITY AS found (id, place)
            JOIN posthorn_parked p ON p.destination = :destination AND p.message_id = found.id
           ORDER BY found.place
          """);

  /** The key before all others. */
  private static final Key NO_KEY = new Key("", "");

  /** The place of a message in each of the orders. */
  private record Place(
      UUID id,
      @Nullable String dueAt,
      boolean scheduled,
      @Nullable Key key,
      long position,
      long seq) {
    static final Place START =
        new Place(new UUID(0, 0), "-infinity", false, null, Long.MIN_VALUE, Long.MIN_VALUE);

    static Place of(UUID id, ResultSet row) throws SQLException {
      return new Place(
          id,
          row.getString("due_at"),
          row.getBoolean("scheduled"),
          MessageRow.key(row),
          row.getLong("position"),
          row.getLong("seq"));
    }
  }

  private final Database database;
  private final String destination;

  public ParkedLister(Database database, String destination) {
    this.database = database;
    this.destination = destination;
  }

  /** Lists the first message of each key: first those with a time, by time, then the others. */
  public List<ParkedMessage> firsts(@Nullable UUID after, int limit) {
    return database.asks(
        "listing what is parked",
        tx -> {
          Place place = place(tx, after);
          List<UUID> ids = new ArrayList<>();
          if (place.dueAt != null) {
            try (Query query = tx.query(BY_TIME)) {
              ids.addAll(ids(query.set("at", place.dueAt).set("id", place.id), limit));
            }
            place = Place.START;
          }
          if (ids.size() < limit && (place.dueAt != null || place.key != null)) {
            Key passed = place.key == null ? NO_KEY : place.key;
            try (Query query = tx.query(BY_KEY)) {
              ids.addAll(ids(of(query, passed), limit - ids.size()));
            }
            place = Place.START;
          }
          if (ids.size() < limit) {
            try (Query query = tx.query(WITHOUT_KEY)) {
              ids.addAll(ids(from(query, place), limit - ids.size()));
            }
          }
          return read(tx, ids);
        });
  }

  /**
   * Lists all messages of one key, in the order of delivery. Scheduled messages follow; they have
   * no place in the order yet.
   */
  public List<ParkedMessage> of(Key key, @Nullable UUID after, int limit) {
    return database.asks(
        "listing what is parked of a key",
        tx -> {
          Place place = place(tx, after);
          List<UUID> ids = new ArrayList<>();
          if (!place.scheduled) {
            try (Query query = tx.query(OF_KEY)) {
              ids.addAll(ids(of(from(query, place), key), limit));
            }
            place = Place.START;
          }
          if (ids.size() < limit) {
            try (Query query = tx.query(SCHEDULED_OF_KEY)) {
              ids.addAll(ids(of(from(query, place), key), limit - ids.size()));
            }
          }
          return read(tx, ids);
        });
  }

  private Place place(Database.Tx tx, @Nullable UUID after) throws SQLException {
    if (after == null) {
      return Place.START;
    }
    try (Query query = tx.query(PLACE)) {
      Place found =
          query.set("destination", destination).set("id", after).first(row -> Place.of(after, row));
      return found == null ? Place.START : found;
    }
  }

  private static Query from(Query query, Place place) throws SQLException {
    return query.set("position", place.position).set("seq", place.seq);
  }

  private static Query of(Query query, Key key) throws SQLException {
    return query.set("aggregateType", key.aggregateType()).set("key", key.id());
  }

  private List<UUID> ids(Query query, int limit) throws SQLException {
    return query
        .set("destination", destination)
        .set("limit", limit)
        .rows(row -> row.getObject("message_id", UUID.class));
  }

  private List<ParkedMessage> read(Database.Tx tx, List<UUID> ids) throws SQLException {
    try (Query query = tx.query(READ)) {
      return query
          .setUuids("ids", ids)
          .set("destination", destination)
          .set("most", ParkedMessage.MOST_BEHIND)
          .rows(ParkedLister::message);
    }
  }

  private static ParkedMessage message(ResultSet row) throws SQLException {
    return new ParkedMessage(
        row.getObject("message_id", UUID.class),
        row.getString("type"),
        MessageRow.key(row),
        Waiting.valueOf(row.getString("waiting")),
        row.getInt("attempts"),
        Times.nullable(row, "next_attempt_at"),
        row.getString("last_reason"),
        row.getString("last_error"),
        row.getBoolean("held"),
        row.getBoolean("key_paused"),
        row.getLong("behind"));
  }
}
