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
            FROM posthorn_dead x
           WHERE state = 'DEAD'
             AND state = ANY (CAST(:states AS text[]))
             AND (position, id) > (:lastPosition, :lastId)
             AND posthorn_is_asked_for(x, CAST(:destination AS text), CAST(:type AS text), CAST(:reason AS text),
                                       CAST(:aggregateType AS text), CAST(:key AS text), CAST(:from AS timestamptz),
                                       CAST(:to AS timestamptz), CAST(:error AS text), CAST(:headers AS jsonb),
                                       CAST(:fingerprint AS text), CAST(:messageId AS uuid))
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
