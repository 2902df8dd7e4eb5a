package io.posthorn.postgresql;

import java.time.Duration;

/** Ids that nobody repeats any more, which a purge forgets. */
final class Leftovers {
  private static final int CHUNK = 10_000;

  private static final Sql FORGET_GIVEN =
      Sql.of(
          "forget given ids",
          """
          DELETE FROM posthorn_given_id
           WHERE id = ANY (ARRAY (
                   SELECT id
                     FROM posthorn_given_id
                    WHERE recorded_at < statement_timestamp() - make_interval(secs => :retention)
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

  private final Database database;

  Leftovers(Database database) {
    this.database = database;
  }

  void forgetIds(Duration age) {
    forget(FORGET_GIVEN, age);
    forget(FORGET_NOTED, age);
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
