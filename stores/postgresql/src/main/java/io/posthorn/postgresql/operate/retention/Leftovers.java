package io.posthorn.postgresql.operate.retention;

import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.time.Duration;
import java.util.List;

/** What a purge forgets: ids that nobody repeats any more, and edges that others have replaced. */
final class Leftovers {
  private static final int CHUNK = 10_000;

  // Not while the log has messages of their time: a destination that stands still keeps them, and a
  // repeated id would be delivered twice by it. Time and number differ by as long as a transaction.
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

  // All up to a number, so that none comes to count again; a key without an edge is looked for from
  // the beginning.
  private static final Sql FORGET_KEY_EDGES =
      Sql.of(
          "forget edges of keys",
          """
          DELETE FROM posthorn_key_edge
           WHERE n <= (SELECT max(n)
                         FROM posthorn_key_edge
                        WHERE at < statement_timestamp() - interval '1 hour')
          """);

  // The newest of a destination stays: its keys' edges are not above what it calls safe.
  private static final Sql FORGET_EDGES =
      Sql.of(
          "forget edges",
          """
          DELETE FROM posthorn_edge x
           WHERE x.at < statement_timestamp() - interval '1 hour'
             AND x.n < (SELECT max(y.n) FROM posthorn_edge y WHERE y.destination = x.destination)
          """);

  private final Database database;

  Leftovers(Database database) {
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
