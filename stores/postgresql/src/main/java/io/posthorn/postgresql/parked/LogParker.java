package io.posthorn.postgresql.parked;

import io.posthorn.core.store.RelayStore;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * Parks messages of the log before their first attempt, in order. A message whose id is already
 * taken by another parked message becomes a dead letter.
 */
public final class LogParker {
  // The time of the statement, because both conditions must see the same one: a message that waited
  // for a time and had none would wait for ever.
  public static final Sql PARK =
      Sql.of(
          "park untried",
          """
          INSERT INTO posthorn_parked
                 (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type,
                  headers, cipher_key, occurred_at, recorded_at, not_before, seq, position, waiting, next_attempt_at)
          SELECT :destination, l.id, l.type, l.schema_version, posthorn_key_type(l.aggregate_type, l.key), l.key,
                 l.payload, l.content_type, l.headers, l.cipher_key, l.occurred_at, l.recorded_at, l.not_before, l.seq,
                 l.seq,
                 CASE WHEN :unrouted THEN 'ROUTE'
                      WHEN l.not_before > statement_timestamp() THEN 'TIME'
                      ELSE 'TURN' END,
                 CASE WHEN :unrouted THEN clock_timestamp() + make_interval(secs => :grace)
                      WHEN l.not_before > statement_timestamp() THEN l.not_before
                      WHEN l.key IS NULL THEN clock_timestamp() END
            FROM posthorn_log l
           WHERE l.seq = ANY (:seqs)
              ON CONFLICT (destination, message_id) DO NOTHING
          """);

  private LogParker() {}

  /** Parks messages until their time, or else until their turn. */
  public static void park(Database.Tx tx, String destination, Collection<Long> seqs)
      throws SQLException {
    park(tx, destination, seqs, null);
  }

  /** Parks messages that no route covers, until there is a route or the grace period is over. */
  public static void parkUnrouted(Database.Tx tx, Collection<Long> seqs, Duration grace)
      throws SQLException {
    park(tx, RelayStore.UNROUTED, seqs, grace);
  }

  private static void park(
      Database.Tx tx, String destination, Collection<Long> seqs, @Nullable Duration grace)
      throws SQLException {
    if (seqs.isEmpty()) {
      return;
    }
    int parked;
    try (Query query = tx.query(PARK)) {
      parked =
          query
              .set("destination", destination)
              .set("unrouted", grace != null)
              .set("grace", grace == null ? Duration.ZERO : grace)
              .setLongs("seqs", seqs)
              .update();
    }
    if (parked < seqs.size()) {
      ReusedIds.bury(tx, destination, seqs);
    }
  }
}
