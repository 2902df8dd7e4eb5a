package io.posthorn.postgresql.operate.retention;

import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;

/**
 * Adds up the outcomes that an operation's messages got after its last step. An ended operation
 * takes no more steps, so these rows would stay, and every reader would add them up again.
 */
final class LateOutcomes {
  private static final int CHUNK = 100;

  private static final Sql FOLD =
      Sql.of(
          "add up late outcomes",
          """
          WITH ended AS (
            SELECT o.id
              FROM posthorn_operation o
             WHERE o.state <> 'RUNNING'
               AND EXISTS (SELECT 1 FROM posthorn_operation_outcome c WHERE c.operation = o.id)
             ORDER BY o.created_at
             LIMIT :chunk
               FOR UPDATE SKIP LOCKED
          ), gone AS (
            DELETE FROM posthorn_operation_outcome
             WHERE operation = ANY (ARRAY (SELECT id FROM ended))
            RETURNING operation, sent, died, retrying
          )
          UPDATE posthorn_operation o
             SET sent = o.sent + late.sent,
                 died = o.died + late.died,
                 retrying = o.retrying + late.retrying
            FROM (SELECT operation, sum(sent) AS sent, sum(died) AS died, sum(retrying) AS retrying
                    FROM gone
                   GROUP BY operation) late
           WHERE o.id = late.operation
          """);

  private final Database database;

  LateOutcomes(Database database) {
    this.database = database;
  }

  void fold() {
    int folded = CHUNK;
    while (folded == CHUNK) {
      folded =
          database.transaction(
              "adding up late outcomes of ended operations",
              tx -> {
                try (Query query = tx.query(FOLD)) {
                  return query.set("chunk", CHUNK).update();
                }
              });
    }
  }
}
