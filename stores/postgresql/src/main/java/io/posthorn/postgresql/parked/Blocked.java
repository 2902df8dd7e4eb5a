package io.posthorn.postgresql.parked;

import io.posthorn.core.message.Key;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import io.posthorn.postgresql.sql.SqlFailures;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the keys that have parked messages or are held. Later messages of these keys queue up
 * behind them.
 */
public final class Blocked {
  private static final Logger LOG = LoggerFactory.getLogger(Blocked.class);

  // Ordered although any row would do, because only the index on keys has that order.
  public static final Sql AMONG =
      Sql.of(
          "find blocked keys",
          """
          SELECT k.aggregate_type, k.key
            FROM unnest(CAST(:aggregateTypes AS text[]), CAST(:keys AS text[])) AS k (aggregate_type, key)
           WHERE coalesce((SELECT true
                             FROM posthorn_parked p
                            WHERE p.destination = :destination
                              AND p.aggregate_type = k.aggregate_type
                              AND p.key = k.key
                              AND p.position >= coalesce((SELECT e.position
                                                            FROM posthorn_key_edge e
                                                           WHERE e.destination = :destination
                                                             AND e.aggregate_type = k.aggregate_type
                                                             AND e.key = k.key
                                                           ORDER BY e.n DESC
                                                           LIMIT 1), 0)
                              AND p.waiting <> 'TIME'
                            ORDER BY p.position, p.seq
                            LIMIT 1),
                          (SELECT true
                             FROM posthorn_held h
                            WHERE h.destination = :destination
                              AND h.aggregate_type = k.aggregate_type
                              AND h.key = k.key
                            LIMIT 1))
          """);

  private Blocked() {}

  /**
   * Asks for each key by itself, since the database has refused to answer for all. A key for which
   * it refuses counts as blocked: its messages queue up, and other keys go on.
   */
  public static Set<Key> amongOneByOne(Database.Tx tx, String destination, Set<Key> keys)
      throws SQLException {
    Set<Key> blocked = new HashSet<>();
    for (Key key : keys) {
      try {
        blocked.addAll(tx.trying(() -> among(tx, destination, Set.of(key))));
      } catch (SQLException e) {
        if (!SqlFailures.isRefusal(e)) {
          throw e;
        }
        LOG.debug("Key {} of '{}' counts as blocked: {}", key, destination, e.getMessage());
        blocked.add(key);
      }
    }
    return blocked;
  }

  public static Set<Key> among(Database.Tx tx, String destination, Set<Key> keys)
      throws SQLException {
    try (Query query = tx.query(AMONG)) {
      return new HashSet<>(
          query
              .set("destination", destination)
              .setKeys(keys)
              .rows(row -> new Key(row.getString(1), row.getString(2))));
    }
  }
}
