package io.posthorn.postgresql.parked;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.operate.deadletter.Fingerprint;
import io.posthorn.core.store.RelayStore;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.util.Collection;
import java.util.UUID;

/**
 * Turns messages that cannot be parked, because another message with their id is parked for the
 * destination, into dead letters. An application that changes a message and adds it again creates
 * two messages with one id, and a destination can have one parked message of each id.
 *
 * <p>Both statements can be repeated, and can be called for messages that are parked: a message
 * that is parked under its own seq, or dead for its id already, stays as it is.
 */
public final class ReusedIds {
  private static final String ERROR =
      "another message with its id is parked for '%s', which can have one message of each id. Requeue it under a new id, or discard it";

  private static final Sql FROM_LOG =
      Sql.of(
          "bury reused ids from log",
          """
          INSERT INTO posthorn_dead
                 (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type,
                  headers, cipher_key, occurred_at, recorded_at, not_before, seq, position,
                  reason, last_reason, error, fingerprint, attempts, first_failed_at, last_failed_at)
          SELECT :destination, l.id, l.type, l.schema_version,
                 posthorn_key_type(l.aggregate_type, l.key), l.key, l.payload,
                 l.content_type, l.headers, l.cipher_key, l.occurred_at, l.recorded_at, l.not_before, l.seq, l.seq,
                 :reason, :reason, :error, :fingerprint, 0, clock_timestamp(), clock_timestamp()
            FROM posthorn_log l
           WHERE l.seq = ANY (:seqs)
             AND NOT EXISTS (SELECT 1
                               FROM posthorn_parked p
                              WHERE p.destination = :destination
                                AND p.message_id = l.id
                                AND p.seq = l.seq)
             AND NOT EXISTS (SELECT 1
                               FROM posthorn_dead x
                              WHERE x.message_id = l.id
                                AND x.destination = :destination
                                AND x.seq = l.seq
                                AND x.reason = :reason)
          """);

  private static final Sql FROM_UNROUTED =
      Sql.of(
          "bury reused ids from unrouted",
          """
          INSERT INTO posthorn_dead
                 (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type,
                  headers, cipher_key, occurred_at, recorded_at, not_before, seq, position,
                  reason, last_reason, error, fingerprint, attempts, first_failed_at, last_failed_at, previous)
          SELECT :destination, q.message_id, q.type, q.schema_version, q.aggregate_type, q.key, q.payload,
                 q.content_type, q.headers, q.cipher_key, q.occurred_at, q.recorded_at, q.not_before, q.seq, q.position,
                 :reason, :reason, :error, :fingerprint, 0, clock_timestamp(), clock_timestamp(), q.dead_letter
            FROM posthorn_parked q
           WHERE q.destination = :unrouted
             AND q.message_id = ANY (:ids)
             AND NOT EXISTS (SELECT 1
                               FROM posthorn_parked p
                              WHERE p.destination = :destination
                                AND p.message_id = q.message_id
                                AND p.seq = q.seq)
             AND NOT EXISTS (SELECT 1
                               FROM posthorn_dead x
                              WHERE x.message_id = q.message_id
                                AND x.destination = :destination
                                AND x.seq = q.seq
                                AND x.reason = :reason)
          """);

  private ReusedIds() {}

  /** Buries those of these messages of the log that could not be parked. */
  public static void bury(Database.Tx tx, String destination, Collection<Long> seqs)
      throws SQLException {
    if (seqs.isEmpty()) {
      return;
    }
    try (Query query = tx.query(FROM_LOG)) {
      why(query.setLongs("seqs", seqs), destination).update();
    }
  }

  /** Buries those of these messages that unrouted could not hand over and still has. */
  public static void buryHandedOver(Database.Tx tx, String destination, Collection<UUID> ids)
      throws SQLException {
    if (ids.isEmpty()) {
      return;
    }
    try (Query query = tx.query(FROM_UNROUTED)) {
      why(query.setUuids("ids", ids), destination).set("unrouted", RelayStore.UNROUTED).update();
    }
  }

  private static Query why(Query query, String destination) throws SQLException {
    String error = ERROR.formatted(destination);
    return query
        .set("destination", destination)
        .set("reason", Reason.ID_REUSED)
        .set("error", error)
        .set("fingerprint", Fingerprint.of(Reason.ID_REUSED, error, null));
  }
}
