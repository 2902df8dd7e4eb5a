package io.posthorn.postgresql.operate.figures;

import io.posthorn.core.operate.figures.Figures.Count;
import io.posthorn.core.operate.figures.Figures.Rescues;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Counts the outcomes of requeued dead letters. */
final class RescueFigures {
  static final Sql RESCUES =
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

  // This estimates finished rescues. The planner knows nothing about those without an outcome yet,
  // so their number stays as counted.
  private static final Sql ALL_RESCUES =
      Sql.of(
          "estimate rescues",
          "EXPLAIN (FORMAT JSON) SELECT 1 FROM posthorn_dead WHERE outcome = :outcome");

  private RescueFigures() {}

  static List<Rescues> read(Database.Tx tx) throws SQLException {
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
      rescues.add(
          new Rescues(outcome, CappedCount.of(tx, letters, ALL_RESCUES, "outcome", outcome)));
    }
    return rescues;
  }
}
