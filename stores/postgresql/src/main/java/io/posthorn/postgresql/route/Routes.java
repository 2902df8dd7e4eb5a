package io.posthorn.postgresql.route;

import io.posthorn.core.store.ServedDestination;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The types that go to one destination: the union of what all applications registered. The id
 * changes with every registration, so that a cached copy can be checked.
 */
public record Routes(UUID id, List<Route> routes) {
  private static final Sql READ =
      Sql.of(
          "read routes",
          """
          SELECT type, min(since_seq) AS since_seq
            FROM posthorn_route
           WHERE destination = :destination
           GROUP BY type
          """);

  /** A route covers every message above {@code sinceSeq}; below it, the stored snapshot decides. */
  public record Route(String type, long sinceSeq) {}

  public static Routes read(Database.Tx tx, String destination, UUID id) throws SQLException {
    try (Query query = tx.query(READ)) {
      return new Routes(
          id,
          query
              .set("destination", destination)
              .rows(row -> new Route(row.getString("type"), row.getLong("since_seq"))));
    }
  }

  /** Returns the filter for messages above this seq. */
  public Filter above(long seq) {
    List<String> types = new ArrayList<>();
    boolean all = false;
    boolean young = false;
    for (Route route : routes) {
      if (route.sinceSeq > seq) {
        young = true;
      } else if (route.type.equals(ServedDestination.ALL_TYPES)) {
        all = true;
      } else {
        types.add(route.type);
      }
    }
    return new Filter(all, types, young);
  }

  /**
   * Which types a reader of the log wants.
   *
   * @param all whether every type is covered
   * @param types the types that are covered
   * @param young whether a route is so new that it must be looked up for each message
   */
  public record Filter(boolean all, List<String> types, boolean young) {}
}
