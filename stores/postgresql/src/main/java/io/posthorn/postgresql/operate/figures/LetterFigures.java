package io.posthorn.postgresql.operate.figures;

import io.posthorn.core.operate.figures.Figures.Count;
import io.posthorn.core.operate.figures.Figures.Letters;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts dead letters that wait for a person, exactly up to 10,000 in all. Above that, it counts up
 * to 1,000 of each destination, and extrapolates types and reasons from the newest letters.
 */
final class LetterFigures {
  private static final long EXACT_EACH = 1_000;

  // Counting needs only an index, so it is cheaper than reading letters.
  static final Sql LETTERS =
      Sql.of(
          "figures of dead letters",
          """
          SELECT newest.destination, newest.type, newest.last_reason, count(*) AS letters, max(c.counted) AS counted
            FROM (SELECT count(*) AS counted
                    FROM (SELECT 1
                            FROM posthorn_dead x
                           WHERE x.state = 'DEAD'
                           LIMIT 10001) x) c
           CROSS JOIN LATERAL
                 (SELECT x.destination, x.type, x.last_reason
                    FROM posthorn_dead x
                   WHERE x.state = 'DEAD'
                   ORDER BY x.created_at DESC, x.id DESC
                   LIMIT CASE WHEN c.counted > 10000 THEN 1000 ELSE 10000 END) newest
           GROUP BY newest.destination, newest.type, newest.last_reason
          """);

  private static final Sql ALL_LETTERS =
      Sql.of(
          "estimate dead letters",
          "EXPLAIN (FORMAT JSON) SELECT 1 FROM posthorn_dead WHERE state = 'DEAD'");

  static final Sql OF_EACH =
      Sql.of(
          "count dead letters of each",
          """
          SELECT d.name AS destination, c.counted
            FROM posthorn_destination d
           CROSS JOIN LATERAL
                 (SELECT count(*) AS counted
                    FROM (SELECT 1
                            FROM posthorn_dead x
                           WHERE x.destination = d.name
                             AND x.state = 'DEAD'
                           LIMIT 1001) x) c
          """);

  private static final Sql ALL_OF_ONE =
      Sql.of(
          "estimate dead letters of one",
          "EXPLAIN (FORMAT JSON) SELECT 1 FROM posthorn_dead WHERE destination = :destination AND state = 'DEAD'");

  private final List<Letters> all;
  private final Map<String, Count> byDestination;

  private LetterFigures(List<Letters> all, Map<String, Count> byDestination) {
    this.all = all;
    this.byDestination = byDestination;
  }

  private record Looked(Letters letters, long counted) {}

  static LetterFigures read(Database.Tx tx) throws SQLException {
    List<Looked> found;
    try (Query query = tx.query(LETTERS)) {
      found =
          query.rows(
              row ->
                  new Looked(
                      new Letters(
                          row.getString("destination"),
                          row.getString("type"),
                          row.getString("last_reason"),
                          new Count(row.getLong("letters"), false)),
                      row.getLong("counted")));
    }
    long looked = found.stream().mapToLong(x -> x.letters.count().number()).sum();
    Count number = CappedCount.of(tx, found.isEmpty() ? 0 : found.get(0).counted, ALL_LETTERS);
    List<Letters> all = new ArrayList<>();
    Map<String, Count> byDestination = new HashMap<>();
    for (Looked x : found) {
      Letters letters = x.letters;
      Count part = CappedCount.part(letters.count().number(), looked, number);
      all.add(new Letters(letters.destination(), letters.type(), letters.reason(), part));
      byDestination.merge(letters.destination(), part, Count::plus);
    }
    return new LetterFigures(all, number.estimated() ? ofEach(tx) : byDestination);
  }

  private static Map<String, Count> ofEach(Database.Tx tx) throws SQLException {
    Map<String, Count> byDestination = new HashMap<>();
    try (Query query = tx.query(OF_EACH)) {
      query.rows(
          row ->
              byDestination.put(
                  row.getString("destination"), new Count(row.getLong("counted"), false)));
    }
    for (Map.Entry<String, Count> entry : byDestination.entrySet()) {
      long counted = entry.getValue().number();
      if (counted > EXACT_EACH) {
        try (Query query = tx.query(ALL_OF_ONE)) {
          entry.setValue(CappedCount.estimate(counted, query.set("destination", entry.getKey())));
        }
      }
    }
    return byDestination;
  }

  /** Returns the counts by destination, type and reason. */
  List<Letters> all() {
    return all;
  }

  Count of(String destination) {
    return byDestination.getOrDefault(destination, new Count(0, false));
  }
}
