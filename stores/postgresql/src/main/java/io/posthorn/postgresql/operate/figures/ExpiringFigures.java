package io.posthorn.postgresql.operate.figures;

import io.posthorn.core.operate.figures.Figures.Count;
import io.posthorn.core.operate.figures.Figures.Expiring;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Counts dead letters that will be removed soon, exactly up to 100 of each destination. Letters
 * that hold a key stay, and for letters restored from an archive the time starts again, so the
 * search reads up to 10,000 of the oldest letters.
 */
public final class ExpiringFigures {
  private static final long EXACT = 100;

  // Finds the destinations with letters by one step in the index each. It avoids EXISTS, because
  // the planner would hash all held keys for a hundred letters.
  static final Sql EXPIRING =
      Sql.of(
          "figures of expiring letters",
          """
          WITH RECURSIVE having_letters (name) AS
                 ((SELECT x.destination
                     FROM posthorn_dead x
                    WHERE x.state = 'DEAD'
                    ORDER BY x.destination
                    LIMIT 1)
                  UNION ALL
                  SELECT (SELECT x.destination
                            FROM posthorn_dead x
                           WHERE x.state = 'DEAD'
                             AND x.destination > d.name
                           ORDER BY x.destination
                           LIMIT 1)
                    FROM having_letters d
                   WHERE d.name IS NOT NULL)
          SELECT d.name AS destination, going.letters,
                 date_part('epoch', going.since - statement_timestamp()) AS since
            FROM having_letters d
           CROSS JOIN LATERAL
                 (SELECT count(*) AS letters, min(old.since) AS since
                    FROM (SELECT old.since
                            FROM (SELECT x.id, x.destination, x.aggregate_type, x.key,
                                         greatest(x.restored_at, x.created_at) AS since
                                    FROM posthorn_dead x
                                   WHERE x.destination = d.name
                                     AND x.state = 'DEAD'
                                     AND x.created_at < statement_timestamp() - make_interval(secs => :age)
                                   ORDER BY x.created_at
                                   LIMIT 10000) old
                           WHERE old.since < statement_timestamp() - make_interval(secs => :age)
                             AND (SELECT h.dead_id
                                    FROM posthorn_held h
                                   WHERE h.destination = old.destination
                                     AND h.aggregate_type = old.aggregate_type
                                     AND h.key = old.key
                                     AND h.dead_id = old.id) IS NULL
                           LIMIT 101) old) going
           WHERE going.letters > 0
          """);

  private static final Sql ALL_OLD =
      Sql.of(
          "estimate expiring letters",
          """
          EXPLAIN (FORMAT JSON)
          SELECT 1
            FROM posthorn_dead
           WHERE destination = :destination
             AND state = 'DEAD'
             AND created_at < statement_timestamp() - make_interval(secs => :age)
          """);

  private ExpiringFigures() {}

  private record Going(String destination, long letters, Duration since) {
    static Going of(ResultSet row) throws SQLException {
      return new Going(
          row.getString("destination"),
          row.getLong("letters"),
          Duration.ofSeconds(Math.round(row.getDouble("since"))));
    }
  }

  public static List<Expiring> read(Database.Tx tx, Duration dead) throws SQLException {
    Duration announced = dead.minus(RetentionTimes.ANNOUNCED);
    Duration age = announced.isNegative() ? Duration.ZERO : announced;
    List<Going> found;
    try (Query query = tx.query(EXPIRING)) {
      found = query.set("age", age).rows(Going::of);
    }
    List<Expiring> expiring = new ArrayList<>();
    for (Going going : found) {
      expiring.add(new Expiring(going.destination, count(tx, going, age), going.since.plus(dead)));
    }
    return expiring;
  }

  private static Count count(Database.Tx tx, Going going, Duration age) throws SQLException {
    if (going.letters <= EXACT) {
      return Count.exactly(going.letters);
    }
    try (Query query = tx.query(ALL_OLD)) {
      return CappedCount.estimate(
          going.letters, query.set("destination", going.destination).set("age", age));
    }
  }
}
