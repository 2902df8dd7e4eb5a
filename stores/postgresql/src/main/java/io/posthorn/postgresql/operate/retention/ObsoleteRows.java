package io.posthorn.postgresql.operate.retention;

import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.time.Duration;
import java.util.List;

/**
 * Removes rows that are no longer needed: ids that cannot be repeated any more, and edges that
 * others have replaced.
 */
final class ObsoleteRows {
  private static final int CHUNK = 10_000;

  // Keeps ids as long as the log has messages of their time: a destination that is behind keeps
  // those messages, and a repeated id would be delivered to it twice. Time and number differ by at
  // most the length of a transaction.
  private static final Sql FORGET_GIVEN =
      Sql.of(
          "forget given ids",
          """
          DELETE FROM posthorn_given_id
           WHERE id = ANY (ARRAY (
                   SELECT id
                     FROM posthorn_given_id
                    WHERE recorded_at < least(statement_timestamp() - make_interval(secs => :retention),
                                              (SELECT min(o.recorded_at) - interval '1 hour'
                                                 FROM (SELECT l.recorded_at
                                                         FROM posthorn_log l
                                                        ORDER BY l.seq
                                                        LIMIT 1) o))
                    ORDER BY recorded_at
                    LIMIT :chunk))
          """);

  private static final Sql FORGET_NOTED =
      Sql.of(
          "forget noted ids",
          """
          DELETE FROM posthorn_noted_id
           WHERE id = ANY (ARRAY (
                   SELECT id
                     FROM posthorn_noted_id
                    WHERE recorded_at < statement_timestamp() - make_interval(secs => :retention)
                    ORDER BY recorded_at
                    LIMIT :chunk))
          """);

  // Removes all edges up to a number, so that no remaining edge counts again. A key without an edge
  // is searched from the beginning.
  private static final Sql FORGET_KEY_EDGES =
      Sql.of(
          "forget edges of keys",
          """
          DELETE FROM posthorn_key_edge
           WHERE n <= (SELECT max(n)
                         FROM posthorn_key_edge
                        WHERE at < statement_timestamp() - interval '1 hour')
          """);

  // The newest edge of a lane stays, and the one with the highest safe number, which no edge
  // of a key exceeds.
  private static final Sql FORGET_EDGES =
      Sql.of(
          "forget edges",
          """
          DELETE FROM posthorn_edge x
           WHERE x.at < statement_timestamp() - interval '1 hour'
             AND EXISTS (SELECT 1
                           FROM posthorn_edge y
                          WHERE y.destination = x.destination
                            AND y.lane = x.lane
                            AND y.n > x.n
                            AND y.safe >= x.safe)
          """);

  private final Database database;

  ObsoleteRows(Database database) {
    this.database = database;
  }

  void forgetIds(Duration age) {
    forget(FORGET_GIVEN, age);
    forget(FORGET_NOTED, age);
  }

  void forgetEdges() {
    for (Sql sql : List.of(FORGET_KEY_EDGES, FORGET_EDGES)) {
      database.transaction(
          "forgetting edges",
          tx -> {
            try (Query query = tx.query(sql)) {
              return query.update();
            }
          });
    }
  }

  private void forget(Sql sql, Duration retention) {
    int gone = CHUNK;
    while (gone == CHUNK) {
      gone =
          database.transaction(
              "forgetting ids",
              tx -> {
                try (Query query = tx.query(sql)) {
                  return query.set("retention", retention).set("chunk", CHUNK).update();
                }
              });
    }
  }
}
