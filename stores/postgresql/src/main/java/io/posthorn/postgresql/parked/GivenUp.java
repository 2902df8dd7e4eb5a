package io.posthorn.postgresql.parked;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Key;
import io.posthorn.core.operate.deadletter.Fingerprint;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Turns parked messages that a person gives up into dead letters. The caller has locked the lanes.
 */
public final class GivenUp {
  private static final Sql WRITE =
      Sql.of(
          "give up",
          """
          WITH gone AS (
            DELETE FROM posthorn_parked
             WHERE destination = :destination
               AND message_id = ANY (:ids)
            RETURNING destination, message_id, type, schema_version, aggregate_type, key, payload, content_type,
                      headers, cipher_key, occurred_at, recorded_at, not_before, seq, position, sender, sequence,
                      attempts, first_failed_at, last_failed_at, last_reason, last_error, last_stack, dead_letter,
                      operation
          ), counted AS (
            INSERT INTO posthorn_operation_outcome (operation, sent, died, retrying)
            SELECT operation, 0, count(*), -count(first_failed_at)
              FROM gone
             WHERE operation IS NOT NULL
             GROUP BY operation
          ), not_sent AS (
            UPDATE posthorn_dead
               SET outcome = 'DEAD',
                   outcome_at = clock_timestamp()
             WHERE id = ANY (ARRAY (SELECT dead_letter FROM gone))
          )
          INSERT INTO posthorn_dead
                 (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type,
                  headers, cipher_key, occurred_at, recorded_at, not_before, seq, position, sender, sequence,
                  state, reason, last_reason, error, stack, fingerprint, attempts, first_failed_at, last_failed_at,
                  previous)
          SELECT destination, message_id, type, schema_version, aggregate_type, key, payload, content_type,
                 headers, cipher_key, occurred_at, recorded_at, not_before, seq, position, sender, sequence,
                 :state, :reason, coalesce(last_reason, :reason), coalesce(last_error, :error), last_stack,
                 :fingerprint, attempts, coalesce(first_failed_at, clock_timestamp()),
                 coalesce(last_failed_at, clock_timestamp()), dead_letter
            FROM gone
          RETURNING aggregate_type, key
          """);

  public static final Sql PARKED =
      Sql.of(
          "find parked to give up",
          """
          SELECT message_id
            FROM posthorn_parked
           WHERE destination = :destination
           ORDER BY message_id
           LIMIT :limit
          """);

  public static final int CHUNK = 1_000;

  private GivenUp() {}

  /** Gives up all parked messages of a destination. */
  public static long writeAll(Database.Tx tx, String destination, Reason reason)
      throws SQLException {
    long all = 0;
    for (int some = CHUNK; some == CHUNK; all += some) {
      some = writeSome(tx, destination, PARKED, reason).size();
    }
    return all;
  }

  /** Gives up a chunk of the messages that a query finds. Returns their keys. */
  public static List<Optional<Key>> writeSome(
      Database.Tx tx, String destination, Sql which, Reason reason) throws SQLException {
    List<UUID> parked;
    try (Query query = tx.query(which)) {
      parked =
          query
              .set("destination", destination)
              .set("limit", CHUNK)
              .rows(row -> row.getObject(1, UUID.class));
    }
    return parked.isEmpty() ? List.of() : write(tx, destination, parked, "DEAD", reason);
  }

  /** Gives up these messages. Returns the keys of those that were parked. */
  public static List<Optional<Key>> write(
      Database.Tx tx, String destination, List<UUID> ids, String state, Reason reason)
      throws SQLException {
    try (Query query = tx.query(WRITE)) {
      return query
          .set("destination", destination)
          .setUuids("ids", ids)
          .set("state", state)
          .set("reason", reason.code())
          .set("error", reason.text())
          .set("fingerprint", Fingerprint.of(reason))
          .rows(ParkedReader::key);
    }
  }
}
