package io.posthorn.postgresql.operate.operation;

import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.postgresql.operate.deadletter.DeadLetterReader;
import io.posthorn.postgresql.operate.operation.OperationSteps.Item;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * Finds the next letters of an operation: those that match its query and existed when it started,
 * in the order of their messages.
 */
final class NextLetters {
  private static final Sql NEXT =
      Sql.of(
          "next letters",
          """
          SELECT id, position
            FROM posthorn_dead
           WHERE state = 'DEAD'
             AND state = ANY (CAST(:states AS text[]))
             AND (position, id) > (:lastPosition, :lastId)
             AND (CAST(:destination AS text) IS NULL OR destination = CAST(:destination AS text))
             AND (CAST(:type AS text) IS NULL OR type = CAST(:type AS text))
             AND (CAST(:reason AS text) IS NULL OR CAST(:reason AS text) IN (reason, last_reason))
             AND (CAST(:aggregateType AS text) IS NULL OR aggregate_type = CAST(:aggregateType AS text))
             AND (CAST(:key AS text) IS NULL OR key = CAST(:key AS text))
             AND created_at >= coalesce(CAST(:from AS timestamptz), '-infinity')
             AND created_at < coalesce(CAST(:to AS timestamptz), 'infinity')
             AND (CAST(:error AS text) IS NULL
                  OR position(lower(CAST(:error AS text) COLLATE "C") IN lower(error COLLATE "C")) > 0)
             AND (CAST(:headers AS jsonb) = '{}' OR headers @> CAST(:headers AS jsonb))
             AND (CAST(:fingerprint AS text) IS NULL OR fingerprint = CAST(:fingerprint AS text))
             AND (CAST(:messageId AS uuid) IS NULL OR message_id = CAST(:messageId AS uuid))
           ORDER BY position, id
           LIMIT :limit
          """);

  private NextLetters() {}

  static List<Item> of(
      Database.Tx tx, DeadLetterQuery asked, Instant startedAt, Item last, int most)
      throws SQLException {
    Instant to = asked.to();
    try (Query query = tx.query(NEXT)) {
      return DeadLetterReader.set(query, asked)
          .set("to", (to == null || to.isAfter(startedAt) ? startedAt : to).toString())
          .set("lastPosition", last.position())
          .set("lastId", last.id())
          .set("limit", most)
          .rows(row -> new Item(row.getLong("position"), row.getObject("id", UUID.class)));
    }
  }
}
