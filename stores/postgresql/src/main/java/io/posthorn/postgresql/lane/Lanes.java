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
 * Locks lanes for whoever has no token of them. Whoever locks several does it here, so that all do
 * it in one order and none waits for another in a circle: first the unrouted, whose messages are
 * handed over to others, then by name and number. Names in the order of their characters, which is
 * Java's order too, and not in that of the database's language.
 */
public final class Lanes {
  private static final Sql LOCK =
      Sql.of(
          "lock lanes",
          """
          SELECT destination
            FROM posthorn_lane
           WHERE destination = ANY (:destinations)
           ORDER BY destination <> 'unrouted', destination, lane
             FOR NO KEY UPDATE
          """);

  private static final Sql LOCK_ALL =
      Sql.of(
          "lock all lanes",
          """
          SELECT 1
            FROM posthorn_lane
           ORDER BY destination <> 'unrouted', destination, lane
             FOR NO KEY UPDATE
          """);

  private Lanes() {}

  /** False if there are none. */
  public static boolean lock(Database.Tx tx, String destination) throws SQLException {
    return !lock(tx, List.of(destination)).isEmpty();
  }

  /** The destinations that there are. */
  public static Set<String> lock(Database.Tx tx, Collection<String> destinations)
      throws SQLException {
    try (Query query = tx.query(LOCK)) {
      return new HashSet<>(
          query.setTexts("destinations", destinations).rows(row -> row.getString(1)));
    }
  }

  public static void lockAll(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(LOCK_ALL)) {
      query.any();
    }
  }
}
