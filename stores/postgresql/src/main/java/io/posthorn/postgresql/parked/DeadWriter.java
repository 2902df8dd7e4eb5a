package io.posthorn.postgresql.parked;

import io.posthorn.core.message.Key;
import io.posthorn.core.operate.deadletter.Fingerprint;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Move;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Writes dead letters, from the log or from parked messages, and holds keys whose type requires it.
 */
final class DeadWriter {
  // Finds the rows first and joins them afterwards, as for parking.
  private static final Sql FROM_LOG =
      Sql.of(
          "bury from log",
          """
          WITH l AS MATERIALIZED (
            SELECT id, type, schema_version, aggregate_type, key, payload, content_type, headers, cipher_key, occurred_at,
                   recorded_at, not_before, seq
              FROM posthorn_log
             WHERE seq = ANY (:seqs)
          )
          INSERT INTO posthorn_dead
                 (id, destination, message_id, type, schema_version, aggregate_type, key, payload, content_type,
                  headers, cipher_key, occurred_at, recorded_at, not_before, seq, position,
                  reason, last_reason, error, stack, fingerprint, attempts, first_failed_at, last_failed_at)
          SELECT m.dead_id, :destination, l.id, l.type, l.schema_version,
                 posthorn_key_type(l.aggregate_type, l.key), l.key, l.payload,
                 l.content_type, l.headers, l.cipher_key, l.occurred_at, l.recorded_at, l.not_before, l.seq, l.seq,
                 m.code, m.reason, m.error, m.stack, m.fingerprint, m.attempts, clock_timestamp(), clock_timestamp()
            FROM unnest(CAST(:deadIds AS uuid[]), CAST(:seqs AS bigint[]), CAST(:codes AS text[]),
                        CAST(:reasons AS text[]), CAST(:errors AS text[]), CAST(:stacks AS text[]),
                        CAST(:fingerprints AS text[]), CAST(:attempts AS int[]))
                   AS m (dead_id, seq, code, reason, error, stack, fingerprint, attempts)
            JOIN l ON l.seq = m.seq
          """);

  private static final Sql FROM_PARKED =
      Sql.of(
          "bury from parked",
          """
          WITH gone AS (
            DELETE FROM posthorn_parked
             WHERE destination = :destination
               AND message_id = ANY (CAST(:ids AS uuid[]))
               AND seq = ANY (:seqs)
            RETURNING destination, message_id, type, schema_version, aggregate_type, key, payload, content_type,
                      headers, cipher_key, occurred_at, recorded_at, not_before, seq, position, sender, sequence,
                      first_failed_at, dead_letter, operation
          ), counted AS (
            INSERT INTO posthorn_operation_outcome (operation, sent, died, retrying)
            SELECT operation, 0, count(*), -count(first_failed_at)
              FROM gone
             WHERE operation IS NOT NULL
             GROUP BY operation
          ), died_again AS (
            UPDATE posthorn_dead
               SET outcome = 'DEAD',
                   outcome_at = clock_timestamp()
             WHERE id = ANY (ARRAY (SELECT dead_letter FROM gone WHERE dead_letter IS NOT NULL))
          )
          INSERT INTO posthorn_dead
                 (id, destination, message_id, type, schema_version, aggregate_type, key, payload, content_type,
                  headers, cipher_key, occurred_at, recorded_at, not_before, seq, position, sender, sequence,
                  reason, last_reason, error, stack, fingerprint, attempts, first_failed_at, last_failed_at, previous)
          SELECT m.dead_id, g.destination, g.message_id, g.type, g.schema_version, g.aggregate_type, g.key, g.payload,
                 g.content_type, g.headers, g.cipher_key, g.occurred_at, g.recorded_at, g.not_before, g.seq, g.position,
                 g.sender, g.sequence, m.code, m.reason, m.error, m.stack, m.fingerprint, m.attempts,
                 coalesce(g.first_failed_at, clock_timestamp()), clock_timestamp(), g.dead_letter
            FROM unnest(CAST(:deadIds AS uuid[]), CAST(:ids AS uuid[]), CAST(:codes AS text[]),
                        CAST(:reasons AS text[]), CAST(:errors AS text[]), CAST(:stacks AS text[]),
                        CAST(:fingerprints AS text[]), CAST(:attempts AS int[]))
                   AS m (dead_id, id, code, reason, error, stack, fingerprint, attempts)
            JOIN gone g ON g.message_id = m.id
          """);

  // A message that a person skipped during its attempt leaves no dead letter, and holds nothing.
  private static final Sql HOLD =
      Sql.of(
          "hold keys",
          """
          INSERT INTO posthorn_held (destination, aggregate_type, key, dead_id)
          SELECT :destination, k.aggregate_type, k.key, k.dead_id
            FROM unnest(CAST(:aggregateTypes AS text[]), CAST(:keys AS text[]), CAST(:deadIds AS uuid[]))
                   AS k (aggregate_type, key, dead_id)
           WHERE EXISTS (SELECT 1 FROM posthorn_dead x WHERE x.id = k.dead_id)
              ON CONFLICT DO NOTHING
          """);

  private final Database.Tx tx;
  private final String destination;

  DeadWriter(Database.Tx tx, String destination) {
    this.tx = tx;
    this.destination = destination;
  }

  void fromLog(List<Move.Die> deaths) throws SQLException {
    die(FROM_LOG, deaths);
  }

  void fromParked(List<Move.Die> deaths) throws SQLException {
    die(FROM_PARKED, deaths);
  }

  private void die(Sql sql, List<Move.Die> deaths) throws SQLException {
    if (deaths.isEmpty()) {
      return;
    }
    List<UUID> deadIds = deaths.stream().map(d -> UUID.randomUUID()).toList();
    List<@Nullable String> stacks = new ArrayList<>();
    deaths.forEach(d -> stacks.add(d.reason().stack()));
    try (Query query = tx.query(sql)) {
      query.setLongs("seqs", deaths.stream().map(d -> d.delivery().seq()).toList());
      if (sql.equals(FROM_PARKED)) {
        query.setUuids("ids", deaths.stream().map(d -> d.delivery().message().id()).toList());
      }
      query
          .set("destination", destination)
          .setUuids("deadIds", deadIds)
          .setTexts("codes", deaths.stream().map(Move.Die::code).toList())
          .setTexts("reasons", deaths.stream().map(d -> d.reason().code()).toList())
          .setTexts("errors", deaths.stream().map(d -> d.reason().text()).toList())
          .setTexts("stacks", stacks)
          .setTexts("fingerprints", deaths.stream().map(d -> Fingerprint.of(d.reason())).toList())
          .setArray("attempts", "int4", deaths.stream().map(Move.Die::attempts).toArray())
          .update();
    }
    hold(deaths, deadIds);
  }

  void hold(List<Move.Die> deaths, List<UUID> deadIds) throws SQLException {
    List<Key> keys = new ArrayList<>();
    List<UUID> ids = new ArrayList<>();
    for (int i = 0; i < deaths.size(); i++) {
      Key key = deaths.get(i).delivery().message().key();
      if (key != null && deaths.get(i).afterDead() == AfterDead.HOLD) {
        keys.add(key);
        ids.add(deadIds.get(i));
      }
    }
    if (keys.isEmpty()) {
      return;
    }
    try (Query query = tx.query(HOLD)) {
      query.setKeys(keys).set("destination", destination).setUuids("deadIds", ids).update();
    }
  }
}
