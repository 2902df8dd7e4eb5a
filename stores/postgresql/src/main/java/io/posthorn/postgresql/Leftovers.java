package io.posthorn.postgresql;

import java.time.Duration;

/**
 * Small things that a purge sees to: ids that nobody repeats any more, and messages left behind.
 */
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

  // A message that waits for its turn while none stands before it would wait for ever. Nobody
  // should leave one behind; now and then it is made sure.
  private static final Sql WAKE_ORPHANS =
      Sql.of(
          "wake orphans",
          """
          UPDATE posthorn_parked p
             SET next_attempt_at = clock_timestamp()
           WHERE p.waiting <> 'TIME'
             AND p.next_attempt_at IS NULL
             AND NOT EXISTS (SELECT 1
                               FROM posthorn_parked o
                              WHERE o.destination = p.destination
                                AND o.aggregate_type = p.aggregate_type
                                AND o.key = p.key
                                AND o.waiting <> 'TIME'
                                AND (o.position, o.seq) < (p.position, p.seq))
             AND NOT EXISTS (SELECT 1
                               FROM posthorn_held h
                              WHERE h.destination = p.destination
                                AND h.aggregate_type = p.aggregate_type
                                AND h.key = p.key)
             AND NOT EXISTS (SELECT 1
                               FROM posthorn_pause s
                              WHERE s.destination IN (p.destination, '*')
                                AND s.type = p.type
                                AND p.waiting = 'PAUSED')
          """);

  private final Database database;

  Leftovers(Database database) {
    this.database = database;
  }

  void wakeOrphans() {
    database.transaction(
        "waking messages that wait for nobody",
        tx -> {
          try (Query query = tx.query(WAKE_ORPHANS)) {
            return query.update();
          }
        });
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
