package io.posthorn.postgresql.lane;

import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Locks all lanes of destinations, for transactions that hold no token. All such transactions lock
 * here, in one order, so that they cannot deadlock: first unrouted, whose messages are handed over
 * to others, then by name. Names are ordered by their characters, as in Java, not by the language
 * of the database.
 *
 * <p>Lane 0 of each destination is the gate and is locked first. The other lanes are locked by a
 * later statement: a lane that was added while the first statement waited is invisible to it.
 */
public final class Lanes {
  private static final Sql LOCK =
      Sql.of(
          "lock lanes",
          """
          SELECT destination
            FROM posthorn_lane
           WHERE destination = ANY (:destinations)
             AND lane = 0
           ORDER BY destination <> 'unrouted', destination
             FOR NO KEY UPDATE
          """);

  private static final Sql LOCK_OTHERS =
      Sql.of(
          "lock other lanes",
          """
          SELECT 1
            FROM posthorn_lane
           WHERE destination = ANY (:destinations)
             AND lane > 0
           ORDER BY destination, lane
             FOR NO KEY UPDATE
          """);

  private static final Sql LOCK_ALL =
      Sql.of(
          "lock all lanes",
          """
          SELECT 1
            FROM posthorn_lane
           WHERE lane = 0
           ORDER BY destination <> 'unrouted', destination
             FOR NO KEY UPDATE
          """);

  private static final Sql LOCK_ALL_OTHERS =
      Sql.of(
          "lock all other lanes",
          """
          SELECT 1
            FROM posthorn_lane
           WHERE lane > 0
           ORDER BY destination, lane
             FOR NO KEY UPDATE
          """);

  private Lanes() {}

  /** Locks the lanes of a destination. Returns false if it has no lanes. */
  public static boolean lock(Database.Tx tx, String destination) throws SQLException {
    return !lock(tx, List.of(destination)).isEmpty();
  }

  /** Locks the lanes of these destinations. Returns the destinations that exist. */
  public static Set<String> lock(Database.Tx tx, Collection<String> destinations)
      throws SQLException {
    try (Query query = tx.query(LOCK, LOCK_OTHERS, EdgeTimes.BEGIN_ANEW)) {
      return new HashSet<>(
          EdgeTimes.set(query, destinations)
              .setTexts("destinations", destinations)
              .rows(row -> row.getString(1)));
    }
  }

  public static void lockAll(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(LOCK_ALL, LOCK_ALL_OTHERS, EdgeTimes.BEGIN_ANEW)) {
      EdgeTimes.set(query, (Collection<String>) null).any();
    }
  }
}
