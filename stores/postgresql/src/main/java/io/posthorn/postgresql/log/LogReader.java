package io.posthorn.postgresql.log;

import io.posthorn.core.store.ClaimLimits;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Lane;
import io.posthorn.postgresql.lane.Buckets;
import io.posthorn.postgresql.lane.NewestProgress;
import io.posthorn.postgresql.lane.Window;
import io.posthorn.postgresql.message.LargeMessages;
import io.posthorn.postgresql.message.MessageRow;
import io.posthorn.postgresql.message.RowByRow;
import io.posthorn.postgresql.route.Routes;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a window page by page, in the order of seq. It never sorts or holds more than a page,
 * because a window may hold a day of messages.
 *
 * <p>Snapshots are bound as text and cast in a sub-select, which the server evaluates once. A cast
 * in place would parse the snapshot for every row.
 *
 * <p>A row carries payload and headers only if a whole page of messages of its size ({@code
 * posthorn_bytes}) fits into the limit of bytes. For a larger message the row carries the size, and
 * those that fit are fetched afterwards.
 */
public final class LogReader {
  /** How many seqs one statement scans, so that it ends soon even if no message matches. */
  static final long SPAN = 100_000;

  static final Sql RANGE =
      Sql.of(
          "read range",
          """
          SELECT l.seq, l.id, l.type, l.schema_version, l.aggregate_type, l.key,
                 CASE WHEN posthorn_bytes(l.payload, l.headers) <= :inline THEN l.payload END,
                 l.content_type,
                 CASE WHEN posthorn_bytes(l.payload, l.headers) <= :inline THEN l.headers END,
                 l.cipher_key,
                 (date_part('epoch', l.occurred_at) * 1000000)::bigint,
                 (date_part('epoch', l.recorded_at) * 1000000)::bigint,
                 (date_part('epoch', l.not_before) * 1000000)::bigint,
                 posthorn_bytes(l.payload, l.headers)
            FROM posthorn_log l
           WHERE l.seq > :last
             AND l.seq <= :upto
             AND pg_visible_in_snapshot(l.tx, (SELECT CAST(:s2 AS pg_snapshot)))
             AND NOT pg_visible_in_snapshot(l.tx, (SELECT CAST(:s1 AS pg_snapshot)))
             AND l.seq <> ALL (:ahead)
             AND (:everyBucket
                  OR posthorn_bucket(l.aggregate_type, l.key, l.id) BETWEEN :firstBucket AND :lastBucket)
             AND (:all
                  OR l.type = ANY (:types)
                  OR (:young
                      AND EXISTS (SELECT 1
                                    FROM posthorn_route r
                                   WHERE r.destination = :destination
                                     AND r.type IN (l.type, '*')
                                     AND posthorn_covers(r.since_seq, r.since, r.since_time,
                                                         l.seq, l.tx, l.recorded_at))))
           ORDER BY l.seq
           LIMIT :messages
          """);

  static final Sql STRAGGLERS =
      Sql.of(
          "read stragglers",
          """
          SELECT l.seq, l.id, l.type, l.schema_version, l.aggregate_type, l.key,
                 CASE WHEN posthorn_bytes(l.payload, l.headers) <= :inline THEN l.payload END,
                 l.content_type,
                 CASE WHEN posthorn_bytes(l.payload, l.headers) <= :inline THEN l.headers END,
                 l.cipher_key,
                 (date_part('epoch', l.occurred_at) * 1000000)::bigint,
                 (date_part('epoch', l.recorded_at) * 1000000)::bigint,
                 (date_part('epoch', l.not_before) * 1000000)::bigint,
                 posthorn_bytes(l.payload, l.headers)
            FROM unnest(CAST(:finished AS text[])) AS finished (tx)
           CROSS JOIN LATERAL
                 (SELECT l.seq, l.id, l.type, l.schema_version, l.aggregate_type, l.key, l.payload, l.content_type,
                         l.headers, l.cipher_key, l.occurred_at, l.recorded_at, l.not_before
                    FROM posthorn_log l
                   WHERE (l.tx, l.seq) > (CAST(finished.tx AS xid8), :after)
                     AND (l.tx, l.seq) <= (CAST(finished.tx AS xid8), :below)
                     AND l.seq <> ALL (:ahead)
                     AND (:everyBucket
                          OR posthorn_bucket(l.aggregate_type, l.key, l.id) BETWEEN :firstBucket AND :lastBucket)
                     AND (:allBelow
                          OR l.type = ANY (:typesBelow)
                          OR (:youngBelow
                              AND EXISTS (SELECT 1
                                            FROM posthorn_route r
                                           WHERE r.destination = :destination
                                             AND r.type IN (l.type, '*')
                                             AND posthorn_covers(r.since_seq, r.since, r.since_time,
                                                                 l.seq, l.tx, l.recorded_at))))
                   ORDER BY l.tx, l.seq
                   LIMIT :messages) l
           ORDER BY l.seq
           LIMIT :messages
          """);

  // For pages that are read row by row: the numbers of the rows, without their contents.
  private static final Sql RANGE_NUMBERS =
      Sql.of(
          "read numbers of range",
          """
          SELECT l.seq
            FROM posthorn_log l
           WHERE l.seq > :last
             AND l.seq <= :upto
             AND pg_visible_in_snapshot(l.tx, (SELECT CAST(:s2 AS pg_snapshot)))
             AND NOT pg_visible_in_snapshot(l.tx, (SELECT CAST(:s1 AS pg_snapshot)))
             AND l.seq <> ALL (:ahead)
             AND (:everyBucket
                  OR posthorn_bucket(l.aggregate_type, l.key, l.id) BETWEEN :firstBucket AND :lastBucket)
             AND (:all
                  OR l.type = ANY (:types)
                  OR (:young
                      AND EXISTS (SELECT 1
                                    FROM posthorn_route r
                                   WHERE r.destination = :destination
                                     AND r.type IN (l.type, '*')
                                     AND posthorn_covers(r.since_seq, r.since, r.since_time,
                                                         l.seq, l.tx, l.recorded_at))))
           ORDER BY l.seq
           LIMIT :messages
          """);

  private static final Sql STRAGGLERS_NUMBERS =
      Sql.of(
          "read numbers of stragglers",
          """
          SELECT l.seq
            FROM unnest(CAST(:finished AS text[])) AS finished (tx)
           CROSS JOIN LATERAL
                 (SELECT l.seq
                    FROM posthorn_log l
                   WHERE (l.tx, l.seq) > (CAST(finished.tx AS xid8), :after)
                     AND (l.tx, l.seq) <= (CAST(finished.tx AS xid8), :below)
                     AND l.seq <> ALL (:ahead)
                     AND (:everyBucket
                          OR posthorn_bucket(l.aggregate_type, l.key, l.id) BETWEEN :firstBucket AND :lastBucket)
                     AND (:allBelow
                          OR l.type = ANY (:typesBelow)
                          OR (:youngBelow
                              AND EXISTS (SELECT 1
                                            FROM posthorn_route r
                                           WHERE r.destination = :destination
                                             AND r.type IN (l.type, '*')
                                             AND posthorn_covers(r.since_seq, r.since, r.since_time,
                                                                 l.seq, l.tx, l.recorded_at))))
                   ORDER BY l.tx, l.seq
                   LIMIT :messages) l
           ORDER BY l.seq
           LIMIT :messages
          """);

  /** The most messages of a page that is read row by row. */
  private static final int MOST_ROW_BY_ROW = 100;

  private final Database.Tx tx;
  private final String destination;
  private final Buckets buckets;
  private final Routes routes;
  private final boolean rowByRow;

  /**
   * Creates a reader.
   *
   * @param buckets the buckets of the lane, from its locked row or from a window that it stored
   * @param rowByRow whether to read rows one by one, because one of them cannot be read
   */
  LogReader(Database.Tx tx, String destination, Buckets buckets, Routes routes, boolean rowByRow) {
    this.tx = tx;
    this.destination = destination;
    this.buckets = buckets;
    this.routes = routes;
    this.rowByRow = rowByRow;
  }

  public LogReader(Database.Tx tx, String destination, Buckets buckets, Routes routes) {
    this(tx, destination, buckets, routes, false);
  }

  /** Returns limits for a page that is read row by row: short, so that it does not take long. */
  static ClaimLimits rowByRow(ClaimLimits limits) {
    return new ClaimLimits(Math.min(MOST_ROW_BY_ROW, limits.messages()), limits.bytes());
  }

  /**
   * Returns the next page after {@code last}. It is empty only if the window holds no more
   * messages.
   */
  public Page read(Window window, long last, List<Long> ahead, ClaimLimits limits)
      throws SQLException {
    long from = last;
    if (from < window.low1()) {
      List<Long> finished = window.stragglers();
      if (!finished.isEmpty()) {
        Page page = beginning(window, finished, from, ahead, limits);
        if (!page.deliveries().isEmpty()) {
          return page;
        }
        from = page.end();
      } else {
        from = window.low1();
      }
    }
    while (from < window.high2()) {
      long upto = Math.min(window.high2(), from + SPAN);
      Found found = range(window, from, upto, ahead, limits);
      if (!found.deliveries.isEmpty()) {
        return page(window, from, upto, found);
      }
      from = upto;
    }
    return new Page(List.of(), from, Math.max(from, window.high2()), false);
  }

  /** A page, and the lane's newest progress when it was read. */
  record Ahead(@Nullable NewestProgress newest, Page page) {}

  /**
   * Returns the next page and the newest progress, in one round trip except at the beginning of a
   * window.
   */
  Ahead readAhead(Lane lane, Window window, long last, List<Long> ahead, ClaimLimits limits)
      throws SQLException {
    if (last < window.low1() || rowByRow) {
      try (Query query = tx.query(NewestProgress.SQL)) {
        NewestProgress newest = NewestProgress.of(NewestProgress.set(query, lane));
        return new Ahead(newest, read(window, last, ahead, limits));
      }
    }
    long upto = Math.min(window.high2(), last + SPAN);
    try (Query query = tx.query(NewestProgress.SQL, RANGE)) {
      setRange(NewestProgress.set(query, lane), window, last, upto, ahead, limits);
      NewestProgress newest = NewestProgress.of(query);
      Found found = found(query, limits);
      return new Ahead(
          newest,
          found.deliveries.isEmpty()
              ? read(window, upto, ahead, limits)
              : page(window, last, upto, found));
    }
  }

  /**
   * Turns rows that were read from the beginning of a window into a page. If there are no rows, it
   * reads on.
   */
  Page begun(Window window, long after, long upto, List<MessageRow.Sized> rows, ClaimLimits limits)
      throws SQLException {
    long end = Math.max(window.low1(), Math.min(window.high2(), upto));
    return rows.isEmpty()
        ? read(window, end, List.of(), limits)
        : page(window, after, end, found(rows, limits));
  }

  private static Page page(Window window, long from, long upto, Found found) {
    long end = found.end(upto);
    return new Page(found.deliveries, from, end, end < window.high2());
  }

  private Found range(Window window, long last, long upto, List<Long> ahead, ClaimLimits limits)
      throws SQLException {
    try (Query query = tx.query(rowByRow ? RANGE_NUMBERS : RANGE)) {
      return found(setRange(query, window, last, upto, ahead, limits), limits);
    }
  }

  private Query setRange(
      Query query, Window window, long last, long upto, List<Long> ahead, ClaimLimits limits)
      throws SQLException {
    if (!rowByRow) {
      query.set("inline", inline(limits));
    }
    return set(query, destination, buckets, routes, last, upto, limits)
        .set("s1", window.s1().text())
        .set("s2", window.s2().text())
        .setLongs("ahead", ahead);
  }

  /** Reads the stragglers and the range after them in one round trip, as one page. */
  private Page beginning(
      Window window, List<Long> finished, long last, List<Long> ahead, ClaimLimits limits)
      throws SQLException {
    long upto = Math.max(window.low1(), Math.min(window.high2(), window.low1() + SPAN));
    try (Query query =
        rowByRow ? tx.query(STRAGGLERS_NUMBERS, RANGE_NUMBERS) : tx.query(STRAGGLERS, RANGE)) {
      setStragglers(query, routes, finished, last, window.low1());
      setRange(query, window, window.low1(), upto, ahead, limits);
      List<MessageRow.Sized> rows = rows(query, limits.bytes());
      long bytes = rows.stream().mapToLong(MessageRow.Sized::bytes).sum();
      rows.addAll(rows(query, limits.bytes() - bytes));
      return page(window, last, upto, found(rows, limits));
    }
  }

  /**
   * Returns the rows of the query's next statement.
   *
   * @param bytes how many bytes of the page are left, for rows that are read one by one
   */
  private List<MessageRow.Sized> rows(Query query, long bytes) throws SQLException {
    return rowByRow
        ? RowByRow.ofLog(tx, query.rows(row -> row.getLong(1)).stream().sorted().toList(), bytes)
        : query.rows(MessageRow::sizedFromLog);
  }

  /**
   * The messages that one statement found.
   *
   * @param full whether it stopped at a limit, so there may be more before its upper bound
   */
  private record Found(List<Delivery> deliveries, boolean full) {
    long end(long upto) {
      return full ? deliveries.get(deliveries.size() - 1).seq() : upto;
    }
  }

  /** Returns the largest size of a message whose row carries its content. */
  static long inline(ClaimLimits limits) {
    return limits.bytes() / limits.messages();
  }

  /** Sets the parameters of a range, except those of its window. */
  static Query set(
      Query query,
      String destination,
      Buckets buckets,
      Routes routes,
      long last,
      long upto,
      ClaimLimits limits)
      throws SQLException {
    Routes.Filter filter = routes.above(last);
    return buckets
        .set(query)
        .set("all", filter.all())
        .setTexts("types", filter.types())
        .set("young", filter.young())
        .set("destination", destination)
        .set("last", last)
        .set("upto", upto)
        .set("messages", limits.messages());
  }

  /** Sets the parameters for the messages of these transactions above one seq and up to another. */
  static Query setStragglers(
      Query query, Routes routes, List<Long> transactions, long after, long below)
      throws SQLException {
    Routes.Filter filter = routes.above(after);
    return query
        .set("allBelow", filter.all())
        .setTexts("typesBelow", filter.types())
        .set("youngBelow", filter.young())
        .setTexts("finished", transactions.stream().map(String::valueOf).toList())
        .set("after", after)
        .set("below", below);
  }

  private Found found(Query query, ClaimLimits limits) throws SQLException {
    return found(rows(query, limits.bytes()), limits);
  }

  private Found found(List<MessageRow.Sized> rows, ClaimLimits limits) throws SQLException {
    List<Delivery> deliveries = new ArrayList<>(rows.size());
    List<Delivery> large = new ArrayList<>();
    long bytes = 0;
    for (MessageRow.Sized row : rows) {
      if (bytes >= limits.bytes() || deliveries.size() == limits.messages()) {
        break;
      }
      bytes += row.bytes();
      deliveries.add(row.delivery());
      if (row.contentIsMissing()) {
        large.add(row.delivery());
      }
    }
    boolean full =
        deliveries.size() < rows.size()
            || rows.size() >= limits.messages()
            || bytes >= limits.bytes();
    return new Found(
        large.isEmpty() ? deliveries : LargeMessages.fetch(tx, deliveries, large), full);
  }
}
