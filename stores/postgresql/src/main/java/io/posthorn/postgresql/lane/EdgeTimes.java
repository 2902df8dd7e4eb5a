package io.posthorn.postgresql.lane;

import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The times of edges after a step of the server's clock: a statement that each transaction runs
 * which may give parked messages their turn, in a round trip that it makes anyway.
 */
final class EdgeTimes {
  static final Sql BEGIN_ANEW =
      Sql.of(
          "begin times anew after a clock step",
          "SELECT posthorn_begin_times_anew(CAST(:destinationsOfEdges AS text[]))");

  private EdgeTimes() {}

  static Query set(Query query, String destination) throws SQLException {
    return set(query, List.of(destination));
  }

  /** Without destinations, of all of them. */
  static Query set(Query query, @Nullable Collection<String> destinations) throws SQLException {
    return destinations == null
        ? query.set("destinationsOfEdges", null)
        : query.setTexts("destinationsOfEdges", destinations);
  }
}
