package io.posthorn.postgresql;

import io.posthorn.core.store.ClaimLimits;
import io.posthorn.core.store.Lane;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Locks a lane, looks at it, and reads what stands first in its next window, all in one round trip.
 *
 * <p>Where that window begins is a guess, taken from the progress this relay knows. The look tells
 * whether the database still has this very progress; if not, what was read is not used.
 */
final class Opening {
  /** A longer page would carry the look too often: it comes with each row. */
  static final int MESSAGES = 100;

  /** So many may be stragglers; each is searched in every leaf, also if it has not ended. */
  private static final int MOST_RUNNING = 16;

  // In one statement, because the next one would have another snapshot. What is asked of the log is
  // asked as of the look: its rows are those that the statement sees itself.
  private static final String LOOK_AND_READ =
      """
      WITH look AS MATERIALIZED (
      %s)
      SELECT l.*, look.*
        FROM look
        LEFT JOIN LATERAL (
      %s) l (m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14) ON true
      """;

  private static final String RANGE_TEXT = LogReader.RANGE_TEXT.formatted("look.now");

  static final Sql RANGE =
      Sql.of("read cursor and range", LOOK_AND_READ.formatted(LaneRow.LOOK_TEXT, RANGE_TEXT));

  static final Sql ALL =
      Sql.of(
          "read cursor, stragglers and range",
          LOOK_AND_READ.formatted(
              LaneRow.LOOK_TEXT,
              "(%s) UNION ALL (%s)".formatted(LogReader.STRAGGLERS_TEXT, RANGE_TEXT)));

  private final @Nullable Start start;
  private final LaneRow row;
  private final List<MessageRow.Sized> first;

  /**
   * Where the next window begins, and the routes to read it by.
   *
   * @param progress the guess is right if the newest progress has this id
   */
  record Start(UUID progress, Snapshot s1, long low1, Routes routes, ClaimLimits limits) {
    /** None if the routes are not known, or many transactions may be stragglers. */
    static @Nullable Start at(
        UUID progress, Snapshot s1, long low1, @Nullable Routes routes, ClaimLimits limits) {
      return routes == null || s1.running().size() > MOST_RUNNING
          ? null
          : new Start(
              progress,
              s1,
              low1,
              routes,
              new ClaimLimits(Math.min(MESSAGES, limits.messages()), limits.bytes()));
    }

    /** What it is to be read after: stragglers stand anywhere below. */
    private long after() {
      return s1.running().isEmpty() ? low1 : 0;
    }

    private long upto() {
      return low1 + LogReader.SPAN;
    }

    private Query query(Database.Tx tx, Lane lane) throws SQLException {
      List<Long> running = s1.running();
      Query query = tx.query(LaneRow.LOCK, running.isEmpty() ? RANGE : ALL);
      LogReader.set(query, lane.destination(), routes, low1, upto(), limits)
          .setLongs("ahead", List.of())
          .set("lane", lane.number())
          .set("token", lane.token())
          .set("s1", s1.text());
      if (!running.isEmpty()) {
        LogReader.setFilter(query, routes, after())
            .setTexts("finished", running.stream().map(String::valueOf).toList())
            .set("after", after())
            .set("below", low1);
      }
      return query;
    }
  }

  private Opening(@Nullable Start start, LaneRow row, List<MessageRow.Sized> first) {
    this.start = start;
    this.row = row;
    this.first = first;
  }

  static Opening lock(Database.Tx tx, Lane lane, @Nullable Start start) throws SQLException {
    if (start == null) {
      return new Opening(null, LaneRow.lock(tx, lane), List.of());
    }
    List<LaneRow> looked = new ArrayList<>(1);
    List<MessageRow.Sized> first = new ArrayList<>();
    try (Query query = start.query(tx, lane)) {
      long low = LaneRow.low(query, lane);
      query.rows(
          found -> {
            if (looked.isEmpty()) {
              looked.add(LaneRow.of(found, low));
            }
            found.getLong(1);
            return !found.wasNull() && first.add(MessageRow.sizedFromLog(found));
          });
    }
    // The statement reads them in this order, but does not promise it.
    first.sort(Comparator.comparingLong(row -> row.delivery().seq()));
    return new Opening(
        start, LaneRow.checked(lane, looked.isEmpty() ? null : looked.get(0)), first);
  }

  LaneRow row() {
    return row;
  }

  /** The first page of this window; it is empty only if the window is. */
  Page read(LogReader reader, Window next, Routes routes, ClaimLimits limits) throws SQLException {
    if (start != null
        && start.progress.equals(row.cursor().id())
        && start.routes.id().equals(routes.id())) {
      Page page = reader.page(next, start.after(), start.upto(), first, start.limits);
      if (page != null) {
        return page;
      }
    }
    return reader.read(next, 0, List.of(), limits);
  }
}
