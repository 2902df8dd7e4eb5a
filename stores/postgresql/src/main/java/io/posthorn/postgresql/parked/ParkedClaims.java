package io.posthorn.postgresql.parked;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Key;
import io.posthorn.core.store.ClaimLimits;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Lane;
import io.posthorn.postgresql.lane.Buckets;
import io.posthorn.postgresql.lane.LaneRow;
import io.posthorn.postgresql.message.MessageRow;
import io.posthorn.postgresql.message.RowByRow;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import io.posthorn.postgresql.sql.SqlFailures;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Claims parked messages. If the database refuses the claim of a page, because one row cannot be
 * read or changed, each message is taken in and read by itself. The guilty one is returned as
 * {@link Delivery#unreadable}; the due heads of all other keys are returned with it, and the
 * messages behind them wait for the next claim.
 */
public final class ParkedClaims {
  // Finds the same heads as ParkedReader, and reads only their ids.
  static final Sql HEADS =
      Sql.of(
          "find due heads",
          """
          SELECT p.message_id
            FROM posthorn_parked p
           WHERE p.destination = :destination
             AND (:everyBucket OR p.bucket BETWEEN :firstBucket AND :lastBucket)
             AND p.waiting <> 'TIME'
             AND p.next_attempt_at <= statement_timestamp()
             AND (p.key IS NULL
                  OR p.message_id = (SELECT o.message_id
                                       FROM posthorn_parked o
                                      WHERE o.destination = :destination
                                        AND o.aggregate_type = p.aggregate_type
                                        AND o.key = p.key
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
           LIMIT :messages
          """);

  // Reads the columns of a page of parked messages.
  static final Sql ROW =
      Sql.of(
          "read one parked",
          """
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
            FROM posthorn_parked
           WHERE destination = :destination
             AND message_id = :id
          """);

  // Returns the messages that ParkedReader gives a place.
  private static final Sql NOT_TAKEN_IN =
      Sql.of(
          "find those to take in",
          """
          (SELECT q.message_id
             FROM posthorn_parked q
            WHERE q.destination = :destination
              AND (:everyBucket OR q.bucket BETWEEN :firstBucket AND :lastBucket)
              AND q.waiting = 'TIME'
              AND q.next_attempt_at <= statement_timestamp()
            ORDER BY q.next_attempt_at
            LIMIT :messages)
          UNION ALL
          (SELECT q.message_id
             FROM posthorn_parked q
            WHERE q.destination = :destination
              AND (:everyBucket OR q.bucket BETWEEN :firstBucket AND :lastBucket)
              AND q.waiting = 'BEHIND'
            ORDER BY q.position
            LIMIT :messages)
          """);

  private static final Sql TAKE_IN =
      Sql.of(
          "take in one parked",
          """
          UPDATE posthorn_parked
             SET waiting = 'TURN',
                 beside = CASE WHEN waiting = 'TIME' THEN key IS NOT NULL AND sender IS NULL ELSE beside END,
                 position = CASE WHEN waiting = 'TIME' THEN (SELECT last_value + 1 FROM posthorn_seq)
                                 ELSE position END,
                 next_attempt_at = CASE WHEN waiting = 'TIME' AND key IS NULL THEN clock_timestamp() END
           WHERE destination = :destination
             AND message_id = :id
          RETURNING aggregate_type, key
          """);

  private static final Sql HEAD =
      Sql.of(
          "find head of key",
          """
          SELECT message_id
            FROM posthorn_parked
           WHERE destination = :destination
             AND aggregate_type = :aggregateType
             AND key = :key
             AND waiting <> 'TIME'
           ORDER BY position, seq
           LIMIT 1
          """);

  private record Head(Delivery delivery, boolean beside) {}

  /** What a claim has found, up to its limit of bytes. */
  private static final class Found {
    private final Map<UUID, Delivery> deliveries = new LinkedHashMap<>();
    private long bytesLeft;

    Found(ClaimLimits limits) {
      this.bytesLeft = limits.bytes();
    }

    boolean isFull() {
      return bytesLeft <= 0;
    }

    boolean has(UUID id) {
      return deliveries.containsKey(id);
    }

    void add(UUID id, Delivery delivery) {
      if (deliveries.put(id, delivery) == null) {
        bytesLeft -= delivery.message().bytes();
      }
    }
  }

  private final Database database;

  public ParkedClaims(Database database) {
    this.database = database;
  }

  public List<Delivery> claim(Lane lane, ClaimLimits limits) {
    return RowByRow.ifRefused(() -> page(lane, limits), () -> rowByRow(lane, limits));
  }

  private List<Delivery> page(Lane lane, ClaimLimits limits) {
    return database.transaction(
        "claiming parked messages of lane " + lane,
        tx -> {
          Buckets buckets = LaneRow.fence(tx, lane);
          return ParkedReader.read(tx, lane, buckets, limits);
        });
  }

  private List<Delivery> rowByRow(Lane lane, ClaimLimits limits) {
    return database.transaction(
        "claiming parked messages of lane " + lane + " one by one",
        tx -> {
          Buckets buckets = LaneRow.fence(tx, lane);
          Found found = new Found(limits);
          takeIn(tx, lane, buckets, limits, found);
          addHeads(tx, lane, buckets, limits, found);
          return List.copyOf(found.deliveries.values());
        });
  }

  /** Gives each one that is due its place and its turn; adds those for which that is refused. */
  private static void takeIn(
      Database.Tx tx, Lane lane, Buckets buckets, ClaimLimits limits, Found found)
      throws SQLException {
    Set<Key> keys = new LinkedHashSet<>();
    for (UUID id : ids(tx, NOT_TAKEN_IN, lane, buckets, limits)) {
      if (found.isFull()) {
        break;
      }
      try {
        tx.trying(() -> takeIn(tx, lane, id)).ifPresent(keys::add);
      } catch (SQLException e) {
        found.add(id, guilty(tx, lane, id, e));
      }
    }
    for (Key key : keys) {
      try {
        tx.trying(
            () -> {
              ParkedWriter.wake(tx, lane.destination(), Set.of(key));
              return key;
            });
      } catch (SQLException e) {
        UUID head = head(tx, lane, key);
        found.add(head, guilty(tx, lane, head, e));
      }
    }
  }

  private static Optional<Key> takeIn(Database.Tx tx, Lane lane, UUID id) throws SQLException {
    try (Query query = tx.query(TAKE_IN)) {
      Optional<Key> key =
          query.set("destination", lane.destination()).set("id", id).first(ParkedReader::key);
      return key == null ? Optional.empty() : key;
    }
  }

  /** Returns the first parked message of a key, the one that is woken with it. */
  private static UUID head(Database.Tx tx, Lane lane, Key key) throws SQLException {
    try (Query query = tx.query(HEAD)) {
      return Objects.requireNonNull(
          query
              .set("destination", lane.destination())
              .set("aggregateType", key.aggregateType())
              .set("key", key.id())
              .first(row -> row.getObject(1, UUID.class)));
    }
  }

  private static void addHeads(
      Database.Tx tx, Lane lane, Buckets buckets, ClaimLimits limits, Found found)
      throws SQLException {
    for (UUID id : ids(tx, HEADS, lane, buckets, limits)) {
      if (found.isFull()) {
        return;
      }
      if (found.has(id)) {
        continue;
      }
      try {
        tx.trying(() -> read(tx, lane, id)).ifPresent(head -> found.add(id, head));
      } catch (SQLException e) {
        found.add(id, guilty(tx, lane, id, e));
      }
    }
  }

  private static List<UUID> ids(
      Database.Tx tx, Sql sql, Lane lane, Buckets buckets, ClaimLimits limits) throws SQLException {
    try (Query query = tx.query(sql)) {
      return buckets
          .set(query)
          .set("destination", lane.destination())
          .set("messages", limits.messages())
          .rows(row -> row.getObject(1, UUID.class));
    }
  }

  /** Returns nothing if older messages of its key in the log come before it. */
  private static Optional<Delivery> read(Database.Tx tx, Lane lane, UUID id) throws SQLException {
    Head head = row(tx, lane, id);
    boolean behindUnread = head.beside && UnreadBefore.among(tx, lane, List.of(id)).contains(id);
    return behindUnread ? Optional.empty() : Optional.of(head.delivery);
  }

  private static Head row(Database.Tx tx, Lane lane, UUID id) throws SQLException {
    try (Query query = tx.query(ROW)) {
      return Objects.requireNonNull(
          query
              .set("destination", lane.destination())
              .set("id", id)
              .first(row -> new Head(MessageRow.fromParked(row), row.getBoolean(23))));
    }
  }

  /**
   * Returns a message that the database refused, as unreadable: with all of its row if only a
   * change of it was refused, otherwise with what can be read.
   */
  private static Delivery guilty(Database.Tx tx, Lane lane, UUID id, SQLException why)
      throws SQLException {
    if (!SqlFailures.isRefusal(why)) {
      throw why;
    }
    try {
      Delivery delivery = tx.trying(() -> row(tx, lane, id)).delivery;
      return delivery.unreadable(
          Reason.of(
              Reason.STORE_REFUSED,
              "the database refuses to change its parked row when its turn comes (SQLSTATE %s): %s"
                  .formatted(why.getSQLState(), Database.firstLine(why))));
    } catch (SQLException e) {
      if (!SqlFailures.isRefusal(e)) {
        throw e;
      }
      return RowByRow.ofParked(tx, lane.destination(), id, e);
    }
  }
}
