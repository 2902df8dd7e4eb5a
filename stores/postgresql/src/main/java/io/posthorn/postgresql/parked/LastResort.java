package io.posthorn.postgresql.parked;

import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.deadletter.Fingerprint;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Move;
import io.posthorn.postgresql.message.HeadersJson;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

/**
 * Settles a message when the database refuses the ordinary statements. It writes a dead letter from
 * what the relay has in memory, without reading the row again and without a history. If the message
 * was sent, it only removes the row.
 */
public final class LastResort {
  private static final Sql FROM_LOG =
      Sql.of(
          "bury from memory",
          """
          INSERT INTO posthorn_dead
                 (id, destination, message_id, type, schema_version, aggregate_type, key, payload, content_type,
                  headers, cipher_key, occurred_at, recorded_at, not_before, seq, position,
                  reason, last_reason, error, fingerprint, attempts, first_failed_at, last_failed_at)
          VALUES (:deadId, :destination, :id, :type, :schemaVersion, :aggregateType, :key, :payload, :contentType,
                  CAST(:headers AS jsonb), :cipherKey, CAST(:occurredAt AS timestamptz),
                  CAST(:recordedAt AS timestamptz), CAST(:notBefore AS timestamptz), :seq, :seq,
                  :reason, :reason, :error, :fingerprint, :attempts, clock_timestamp(), clock_timestamp())
          """);

  private static final Sql FROM_PARKED =
      Sql.of(
          "bury parked from memory",
          """
          WITH gone AS (
            DELETE FROM posthorn_parked
             WHERE destination = :destination
               AND message_id = :id
               AND seq = :seq
            RETURNING seq, position, sender, sequence, first_failed_at, dead_letter, operation
          ), counted AS (
            INSERT INTO posthorn_operation_outcome (operation, sent, died, retrying)
            SELECT operation, 0, 1, CASE WHEN first_failed_at IS NULL THEN 0 ELSE -1 END
              FROM gone
             WHERE operation IS NOT NULL
          ), died_again AS (
            UPDATE posthorn_dead
               SET outcome = 'DEAD',
                   outcome_at = clock_timestamp()
             WHERE id = ANY (ARRAY (SELECT dead_letter FROM gone WHERE dead_letter IS NOT NULL))
          )
          INSERT INTO posthorn_dead
                 (id, destination, message_id, type, schema_version, aggregate_type, key, payload, content_type,
                  headers, cipher_key, occurred_at, recorded_at, not_before, seq, position, sender, sequence,
                  reason, last_reason, error, fingerprint, attempts, first_failed_at, last_failed_at, previous)
          SELECT :deadId, :destination, :id, :type, :schemaVersion, :aggregateType, :key, :payload, :contentType,
                 CAST(:headers AS jsonb), :cipherKey, CAST(:occurredAt AS timestamptz),
                 CAST(:recordedAt AS timestamptz), CAST(:notBefore AS timestamptz), g.seq, g.position, g.sender,
                 g.sequence, :reason, :reason, :error, :fingerprint, :attempts, clock_timestamp(),
                 clock_timestamp(), g.dead_letter
            FROM gone g
          """);

  private static final Sql FORGET =
      Sql.of(
          "forget sent",
          """
          WITH gone AS (
            DELETE FROM posthorn_parked
             WHERE destination = :destination
               AND message_id = ANY (:ids)
               AND seq = ANY (:seqs)
            RETURNING operation, first_failed_at
          )
          INSERT INTO posthorn_operation_outcome (operation, sent, died, retrying)
          SELECT operation, count(*), 0, -count(first_failed_at)
            FROM gone
           WHERE operation IS NOT NULL
           GROUP BY operation
          """);

  private final Database.Tx tx;
  private final String destination;

  public LastResort(Database.Tx tx, String destination) {
    this.tx = tx;
    this.destination = destination;
  }

  public void bury(List<Move.Bury> burials) throws SQLException {
    for (Move.Bury burial : burials) {
      bury(burial);
    }
  }

  private void bury(Move.Bury burial) throws SQLException {
    Delivery delivery = burial.delivery();
    Message message = delivery.message();
    Key key = message.key();
    UUID deadId = UUID.randomUUID();
    try (Query query = tx.query(delivery.parked() ? FROM_PARKED : FROM_LOG)) {
      query
          .set("deadId", deadId)
          .set("destination", destination)
          .set("id", message.id())
          .set("type", message.type())
          .set("schemaVersion", message.schemaVersion())
          .set("aggregateType", key == null ? null : key.aggregateType())
          .set("key", key == null ? null : key.id())
          .set("payload", message.payload())
          .set("contentType", message.contentType())
          .set("headers", HeadersJson.write(message.headers()))
          .set("cipherKey", delivery.cipherKey())
          .set("seq", delivery.seq())
          .set("occurredAt", message.occurredAt())
          .set("recordedAt", delivery.recordedAt())
          .set("notBefore", message.notBefore())
          .set("reason", burial.reason().code())
          .set("error", burial.reason().text())
          .set("fingerprint", Fingerprint.of(burial.reason()))
          .set("attempts", burial.attempts());
      query.update();
    }
    new DeadWriter(tx, destination)
        .hold(
            List.of(
                new Move.Die(
                    delivery,
                    burial.attempts(),
                    burial.reason().code(),
                    burial.reason(),
                    burial.afterDead())),
            List.of(deadId));
  }

  /** Removes the rows of messages that were sent. */
  void forget(List<Delivery> sent) throws SQLException {
    if (sent.isEmpty()) {
      return;
    }
    try (Query query = tx.query(FORGET)) {
      query
          .set("destination", destination)
          .setUuids("ids", sent.stream().map(delivery -> delivery.message().id()).toList())
          .setLongs("seqs", sent.stream().map(Delivery::seq).toList())
          .update();
    }
  }
}
