package io.posthorn.postgresql;

import io.posthorn.core.store.ClaimLimits;
import io.posthorn.core.store.Delivery;
import java.sql.SQLException;
import java.util.List;

/**
 * Reads a window page by page, by seq. Never sorts and never holds more than a page: the window may
 * be a day of all messages.
 *
 * <p>Snapshots are bound as text and cast in a sub-select, which the server evaluates once; cast in
 * place they would be parsed for every row. Sizes are summed before payloads are fetched, so that a
 * page of large payloads stays small.
 */
final class LogReader {
  /** How many seqs one statement looks at, so that it ends soon even where nothing matches. */
  private static final long SPAN = 100_000;

  private static final Sql RANGE =
      Sql.of(
          "read range",
          """
          SELECT seq, id, type, schema_version, aggregate_type, key, payload, content_type, headers, cipher_key,
                 (date_part('epoch', occurred_at) * 1000000)::bigint,
                 (date_part('epoch', recorded_at) * 1000000)::bigint,
                 (date_part('epoch', not_before) * 1000000)::bigint
            FROM (SELECT page.*,
                         sum(octet_length(payload)) OVER (ORDER BY seq ROWS UNBOUNDED PRECEDING)
                           - octet_length(payload) AS bytes_before
                    FROM (SELECT l.seq, l.id, l.type, l.schema_version, l.aggregate_type, l.key, l.payload,
                                 l.content_type, l.headers, l.cipher_key, l.occurred_at, l.recorded_at, l.not_before
                            FROM posthorn_log l
                           WHERE l.seq > :last
                             AND l.seq <= :upto
                             AND pg_visible_in_snapshot(l.tx, (SELECT CAST(:s2 AS pg_snapshot)))
                             AND NOT pg_visible_in_snapshot(l.tx, (SELECT CAST(:s1 AS pg_snapshot)))
                             AND l.seq <> ALL (:ahead)
                             AND (:all
                                  OR l.type = ANY (:types)
                                  OR (:young
                                      AND EXISTS (SELECT 1
                                                    FROM posthorn_route r
                                                   WHERE r.destination = :destination
                                                     AND r.type IN (l.type, '*')
                                                     AND NOT pg_visible_in_snapshot(l.tx, r.since))))
                           ORDER BY l.seq
                           LIMIT :messages) page) sized
           WHERE bytes_before < :bytes
           ORDER BY seq
          """);

  private static final Sql STRAGGLERS =
      Sql.of(
          "read stragglers",
          """
          SELECT seq, id, type, schema_version, aggregate_type, key, payload, content_type, headers, cipher_key,
                 (date_part('epoch', occurred_at) * 1000000)::bigint,
                 (date_part('epoch', recorded_at) * 1000000)::bigint,
                 (date_part('epoch', not_before) * 1000000)::bigint
            FROM (SELECT page.*,
                         sum(octet_length(payload)) OVER (ORDER BY seq ROWS UNBOUNDED PRECEDING)
                           - octet_length(payload) AS bytes_before
                    FROM (SELECT l.*
                            FROM unnest(CAST(:finished AS text[])) AS finished (tx)
                           CROSS JOIN LATERAL
                                 (SELECT l.seq, l.id, l.type, l.schema_version, l.aggregate_type, l.key, l.payload,
                                         l.content_type, l.headers, l.cipher_key, l.occurred_at, l.recorded_at,
                                         l.not_before
                                    FROM posthorn_log l
                                   WHERE l.tx = CAST(finished.tx AS xid8)
                                     AND l.seq > :last
                                     AND l.seq <= :upto
                                     AND l.seq <> ALL (:ahead)
                                     AND (:all
                                          OR l.type = ANY (:types)
                                          OR (:young
                                              AND EXISTS (SELECT 1
                                                            FROM posthorn_route r
                                                           WHERE r.destination = :destination
                                                             AND r.type IN (l.type, '*')
                                                             AND NOT pg_visible_in_snapshot(l.tx, r.since))))
                                   ORDER BY l.tx, l.seq
                                   LIMIT :messages) l
                           ORDER BY l.seq
                           LIMIT :messages) page) sized
           WHERE bytes_before < :bytes
           ORDER BY seq
          """);

  private final Database.Tx tx;
  private final String destination;
  private final Routes routes;

  LogReader(Database.Tx tx, String destination, Routes routes) {
    this.tx = tx;
    this.destination = destination;
    this.routes = routes;
  }

  /** The next page after {@code last}; it is empty only if the window holds nothing more. */
  Page read(Window window, long last, List<Long> ahead, ClaimLimits limits) throws SQLException {
    long from = last;
    if (from < window.low1()) {
      List<Long> finished = window.stragglers();
      if (!finished.isEmpty()) {
        List<Delivery> found = stragglers(window, finished, from, ahead, limits);
        if (!found.isEmpty()) {
          long end = full(found, limits) ? lastOf(found) : window.low1();
          return new Page(found, from, end, true);
        }
      }
      from = window.low1();
    }
    while (from < window.high2()) {
      long upto = Math.min(window.high2(), from + SPAN);
      List<Delivery> found = range(window, from, upto, ahead, limits);
      if (!found.isEmpty()) {
        long end = full(found, limits) ? lastOf(found) : upto;
        return new Page(found, from, end, end < window.high2());
      }
      from = upto;
    }
    return new Page(List.of(), from, Math.max(from, window.high2()), false);
  }

  private List<Delivery> range(
      Window window, long last, long upto, List<Long> ahead, ClaimLimits limits)
      throws SQLException {
    try (Query query = tx.query(RANGE)) {
      query.set("s1", window.s1().text()).set("s2", window.s2().text());
      return rows(query, last, upto, ahead, limits);
    }
  }

  private List<Delivery> stragglers(
      Window window, List<Long> finished, long last, List<Long> ahead, ClaimLimits limits)
      throws SQLException {
    try (Query query = tx.query(STRAGGLERS)) {
      query.setTexts("finished", finished.stream().map(String::valueOf).toList());
      return rows(query, last, window.low1(), ahead, limits);
    }
  }

  private List<Delivery> rows(
      Query query, long last, long upto, List<Long> ahead, ClaimLimits limits) throws SQLException {
    Routes.Filter filter = routes.above(last);
    return query
        .set("destination", destination)
        .set("last", last)
        .set("upto", upto)
        .setLongs("ahead", ahead)
        .set("all", filter.all())
        .setTexts("types", filter.types())
        .set("young", filter.young())
        .set("messages", limits.messages())
        .set("bytes", limits.bytes())
        .rows(MessageRow::fromLog);
  }

  /** The statement stopped at a limit, so there may be more before its upper bound. */
  private static boolean full(List<Delivery> found, ClaimLimits limits) {
    return found.size() >= limits.messages()
        || found.stream().mapToLong(d -> d.message().payload().length).sum() >= limits.bytes();
  }

  private static long lastOf(List<Delivery> found) {
    return found.get(found.size() - 1).seq();
  }
}
