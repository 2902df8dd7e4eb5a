package io.posthorn.postgresql.parked;

import io.posthorn.core.store.ClaimLimits;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Lane;
import io.posthorn.postgresql.lane.LaneRow;
import io.posthorn.postgresql.message.MessageRow;
import io.posthorn.postgresql.message.RowByRow;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import io.posthorn.postgresql.sql.SqlFailures;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Claims parked messages. A message that cannot be read must not stop the others of its
 * destination. It is found among the due heads of keys, and is returned alone, as unreadable.
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
                 coalesce(date_part('epoch', clock_timestamp() - suspected_at), 0)::bigint,
                 sender, CASE WHEN sender IS NULL THEN greatest(seq, position) ELSE coalesce(sequence, 0) END
            FROM posthorn_parked
           WHERE destination = :destination
             AND message_id = :id
          """);

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
          LaneRow.fence(tx, lane);
          return ParkedReader.read(tx, lane, limits);
        });
  }

  /**
   * Returns the heads that cannot be read. If all can be read, the first head alone is claimed,
   * because a message behind another head may be the unreadable one.
   */
  private List<Delivery> rowByRow(Lane lane, ClaimLimits limits) {
    List<Delivery> unreadable =
        database.transaction(
            "looking for unreadable parked messages of lane " + lane,
            tx -> {
              LaneRow.fence(tx, lane);
              return unreadable(tx, lane, limits);
            });
    return unreadable.isEmpty() ? page(lane, new ClaimLimits(1, limits.bytes())) : unreadable;
  }

  private static List<Delivery> unreadable(Database.Tx tx, Lane lane, ClaimLimits limits)
      throws SQLException {
    List<UUID> heads;
    try (Query query = tx.query(HEADS)) {
      heads =
          query
              .set("destination", lane.destination())
              .set("messages", limits.messages())
              .rows(row -> row.getObject(1, UUID.class));
    }
    List<Delivery> unreadable = new ArrayList<>();
    long bytes = 0;
    for (UUID id : heads) {
      if (bytes >= limits.bytes()) {
        break;
      }
      try {
        tx.trying(() -> read(tx, lane, id));
      } catch (SQLException e) {
        if (!SqlFailures.isRefusal(e)) {
          throw e;
        }
        Delivery found = RowByRow.ofParked(tx, lane.destination(), id, e);
        bytes += found.message().bytes();
        unreadable.add(found);
      }
    }
    return unreadable;
  }

  private static boolean read(Database.Tx tx, Lane lane, UUID id) throws SQLException {
    try (Query query = tx.query(ROW)) {
      query.set("destination", lane.destination()).set("id", id).first(MessageRow::fromParked);
      return true;
    }
  }
}
