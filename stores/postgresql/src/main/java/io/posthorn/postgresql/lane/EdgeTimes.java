package io.posthorn.postgresql.lane;

import io.posthorn.core.store.Lane;
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
          "SELECT posthorn_begin_times_anew(CAST(:destinationsOfEdges AS text[]), CAST(:laneOfEdges AS int))");

  private EdgeTimes() {}

  /** Of this lane, the only one that the caller has locked. */
  static Query set(Query query, Lane lane) throws SQLException {
    return query
        .setTexts("destinationsOfEdges", List.of(lane.destination()))
        .set("laneOfEdges", lane.number());
  }

  /** Of all lanes of these destinations, which the caller has locked; null means all. */
  static Query set(Query query, @Nullable Collection<String> destinations) throws SQLException {
    query.set("laneOfEdges", null);
    return destinations == null
        ? query.set("destinationsOfEdges", null)
        : query.setTexts("destinationsOfEdges", destinations);
  }
}
