package io.posthorn.postgresql;

import io.posthorn.core.figures.Figures.Count;
import io.posthorn.core.figures.Figures.Expiring;
import io.posthorn.core.figures.Figures.Letters;
import io.posthorn.core.figures.Figures.Rescues;
import io.posthorn.core.retention.RetentionTimes;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Dead letters in figures; like all figures, from at most 10,000 of them. */
final class LetterFigures {
  private static final Sql LETTERS =
      Sql.of(
          "figures of dead letters",
          """
          SELECT newest.destination, newest.type, newest.last_reason, count(*) AS letters
            FROM (SELECT x.destination, x.type, x.last_reason
                    FROM posthorn_dead x
                   WHERE x.state = 'DEAD'
                   ORDER BY x.created_at DESC, x.id DESC
                   LIMIT 10001) newest
           GROUP BY newest.destination, newest.type, newest.last_reason
          """);

  private static final Sql ALL_LETTERS =
      Sql.of(
          "estimate dead letters",
          "EXPLAIN (FORMAT JSON) SELECT 1 FROM posthorn_dead WHERE state = 'DEAD'");

  private static final Sql RESCUES =
      Sql.of(
          "figures of rescues",
          """
          SELECT 'SENT' AS outcome, count(*) AS letters
            FROM (SELECT 1 FROM posthorn_dead WHERE requeued_at IS NOT NULL AND outcome = 'SENT' LIMIT 10001) x
          UNION ALL
          SELECT 'SKIPPED_STALE', count(*)
            FROM (SELECT 1 FROM posthorn_dead WHERE requeued_at IS NOT NULL AND outcome = 'SKIPPED_STALE' LIMIT 10001) x
          UNION ALL
          SELECT 'DEAD', count(*)
            FROM (SELECT 1 FROM posthorn_dead WHERE requeued_at IS NOT NULL AND outcome = 'DEAD' LIMIT 10001) x
          UNION ALL
          SELECT 'WAITING', count(*)
            FROM (SELECT 1 FROM posthorn_dead WHERE requeued_at IS NOT NULL AND outcome IS NULL LIMIT 10001) x
          """);

  // Only of letters that were requeued. Of those that wait, the planner knows nothing: then what
  // was
  // counted stands.
  private static final Sql ALL_RESCUES =
      Sql.of(
          "estimate rescues",
          "EXPLAIN (FORMAT JSON) SELECT 1 FROM posthorn_dead WHERE outcome = :outcome");

  private static final Sql EXPIRING =
      Sql.of(
          "figures of expiring letters",
          """
          SELECT old.destination, count(*) AS letters,
                 date_part('epoch', min(old.since) - statement_timestamp()) AS since
            FROM (SELECT x.destination, greatest(x.restored_at, x.created_at) AS since
                    FROM posthorn_dead x
                   WHERE x.state = 'DEAD'
                     AND x.created_at < statement_timestamp() - make_interval(secs => :age)
                     AND greatest(x.restored_at, x.created_at) < statement_timestamp() - make_interval(secs => :age)
                     AND NOT EXISTS (SELECT 1
                                       FROM posthorn_held h
                                      WHERE h.destination = x.destination
                                        AND h.aggregate_type = x.aggregate_type
                                        AND h.key = x.key
                                        AND h.dead_id = x.id)
                   ORDER BY x.created_at, x.id
                   LIMIT 10001) old
           GROUP BY old.destination
          """);

  private LetterFigures() {}

  static List<Letters> letters(Database.Tx tx) throws SQLException {
    List<Letters> found;
    try (Query query = tx.query(LETTERS)) {
      found =
          query.rows(
              row ->
                  new Letters(
                      row.getString("destination"),
                      row.getString("type"),
                      row.getString("last_reason"),
                      new Count(row.getLong("letters"), false)));
    }
    long looked = found.stream().mapToLong(letters -> letters.count().number()).sum();
    Count all = Counting.of(tx, looked, ALL_LETTERS);
    return found.stream()
        .map(
            x ->
                new Letters(
                    x.destination(),
                    x.type(),
                    x.reason(),
                    Counting.part(x.count().number(), looked, all)))
        .toList();
  }

  static List<Rescues> rescues(Database.Tx tx) throws SQLException {
    List<Rescues> found;
    try (Query query = tx.query(RESCUES)) {
      found =
          query.rows(
              row ->
                  new Rescues(row.getString("outcome"), new Count(row.getLong("letters"), false)));
    }
    List<Rescues> rescues = new ArrayList<>();
    for (Rescues rescued : found) {
      String outcome = rescued.outcome();
      long letters = rescued.count().number();
      rescues.add(new Rescues(outcome, Counting.of(tx, letters, ALL_RESCUES, "outcome", outcome)));
    }
    return rescues;
  }

  static List<Expiring> expiring(Database.Tx tx, Duration dead) throws SQLException {
    Duration age = dead.minus(RetentionTimes.ANNOUNCED);
    try (Query query = tx.query(EXPIRING)) {
      return query
          .set("age", age.isNegative() ? Duration.ZERO : age)
          .rows(
              row -> {
                long letters = row.getLong("letters");
                Duration since = Duration.ofSeconds(Math.round(row.getDouble("since")));
                return new Expiring(
                    row.getString("destination"),
                    new Count(letters, letters > Counting.EXACT),
                    since.plus(dead));
              });
    }
  }
}
