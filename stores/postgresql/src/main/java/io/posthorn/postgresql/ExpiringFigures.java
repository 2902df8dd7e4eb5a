package io.posthorn.postgresql;

import io.posthorn.core.figures.Figures.Count;
import io.posthorn.core.figures.Figures.Expiring;
import io.posthorn.core.retention.RetentionTimes;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Dead letters that will be removed soon, in figures: of each destination the oldest 100 are looked
 * at. Letters that hold a key stay; if there are more, and all that were looked at stay, it is
 * assumed that one goes.
 */
final class ExpiringFigures {
  private static final long EXACT = 100;

  // The destinations that have letters, each found by one step in the index. And not EXISTS: the
  // planner would read all held keys to have them at hand, for a hundred letters.
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
          SELECT d.name AS destination, old.looked, old.letters,
                 date_part('epoch', old.since - statement_timestamp()) AS since
            FROM having_letters d
           CROSS JOIN LATERAL
                 (SELECT count(*) AS looked,
                         count(*) FILTER (WHERE x.goes) AS letters,
                         coalesce(min(x.since) FILTER (WHERE x.goes), max(x.since)) AS since
                    FROM (SELECT greatest(x.restored_at, x.created_at) AS since,
                                 greatest(x.restored_at, x.created_at)
                                     < statement_timestamp() - make_interval(secs => :age)
                                   AND (SELECT h.dead_id
                                          FROM posthorn_held h
                                         WHERE h.destination = x.destination
                                           AND h.aggregate_type = x.aggregate_type
                                           AND h.key = x.key
                                           AND h.dead_id = x.id) IS NULL AS goes
                            FROM posthorn_dead x
                           WHERE x.destination = d.name
                             AND x.state = 'DEAD'
                             AND x.created_at < statement_timestamp() - make_interval(secs => :age)
                           ORDER BY x.created_at
                           LIMIT 101) x) old
           WHERE old.letters > 0 OR old.looked > 100
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

  private record Old(String destination, long looked, long letters, Duration since) {
    static Old of(ResultSet row) throws SQLException {
      return new Old(
          row.getString("destination"),
          row.getLong("looked"),
          row.getLong("letters"),
          Duration.ofSeconds(Math.round(row.getDouble("since"))));
    }
  }

  static List<Expiring> read(Database.Tx tx, Duration dead) throws SQLException {
    Duration announced = dead.minus(RetentionTimes.ANNOUNCED);
    Duration age = announced.isNegative() ? Duration.ZERO : announced;
    List<Old> found;
    try (Query query = tx.query(EXPIRING)) {
      found = query.set("age", age).rows(Old::of);
    }
    List<Expiring> expiring = new ArrayList<>();
    for (Old old : found) {
      expiring.add(new Expiring(old.destination, count(tx, old, age), old.since.plus(dead)));
    }
    return expiring;
  }

  private static Count count(Database.Tx tx, Old old, Duration age) throws SQLException {
    if (old.looked <= EXACT) {
      return new Count(old.letters, false);
    }
    try (Query query = tx.query(ALL_OLD)) {
      Count all =
          Counting.estimate(old.looked, query.set("destination", old.destination).set("age", age));
      return Counting.part(Math.max(1, old.letters), old.looked, all);
    }
  }
}
