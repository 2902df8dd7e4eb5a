package io.posthorn.postgresql.log;

import io.posthorn.core.store.ClaimLimits;
import io.posthorn.core.store.Lane;
import io.posthorn.postgresql.lane.LaneRow;
import io.posthorn.postgresql.lane.Snapshot;
import io.posthorn.postgresql.lane.Window;
import io.posthorn.postgresql.message.MessageRow;
import io.posthorn.postgresql.route.Routes;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Locks a lane, looks at it, and reads what stands first in its next window, all in one round trip.
 *
 * <p>Where that window begins is a guess: at the end of what this relay settled last. Only the
 * stored cursor tells, which the look has read; if it stands elsewhere, what was read is not used.
 */
final class SpeculativeClaim {
  /** A longer page would carry the look too often: it comes with each row. */
  static final int MESSAGES = 100;

  /** So many may be stragglers; for more of them the finished ones are searched alone. */
  private static final int MOST_RUNNING = 16;

  // In one statement, because the next one would have another snapshot. The messages' columns get
  // names that are not the look's, which has an id of its own.
  private static final String LOOK_AND_READ =
      """
      WITH look AS MATERIALIZED (
      %s)
      SELECT l.*, look.*
        FROM look
        LEFT JOIN LATERAL (
      %s) l (m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14) ON true
      """;

  // OFFSET 0 keeps all other conditions out of the leaves: to prepare them in each of the sixteen
  // takes longer than a short page.
  private static final String LEAVES =
      """
      (SELECT tx, seq, recorded_at, id, type, schema_version, aggregate_type, key, payload, content_type, headers,
              cipher_key, occurred_at, not_before
         FROM posthorn_log
        WHERE seq > :last
          AND seq <= :upto
        ORDER BY seq
       OFFSET 0)
      """;

  private static final String RANGE_TEXT = LogReader.RANGE_TEXT.formatted(LEAVES, "look.now");

  private static final String STRAGGLERS_TEXT =
      LogReader.STRAGGLERS_TEXT.formatted(
          "pg_visible_in_snapshot(CAST(finished.tx AS xid8), look.now)");

  static final Sql RANGE =
      Sql.of("read cursor and range", LOOK_AND_READ.formatted(LaneRow.LOOK_TEXT, RANGE_TEXT));

  static final Sql ALL =
      Sql.of(
          "read cursor, stragglers and range",
          LOOK_AND_READ.formatted(
              LaneRow.LOOK_TEXT, "(%s) UNION ALL (%s)".formatted(STRAGGLERS_TEXT, RANGE_TEXT)));

  /** Where a window begins: everything that s1 sees is settled. */
  record Start(Snapshot s1, long low1) {
    boolean isOf(Window window) {
      return s1.text().equals(window.s1().text()) && low1 == window.low1();
    }
  }

  private final Start start;
  private final Routes routes;
  private final ClaimLimits limits;
  private final List<Long> running;
  private final List<MessageRow.Sized> first = new ArrayList<>();
  private @Nullable LaneRow row;

  private SpeculativeClaim(Start start, Routes routes, ClaimLimits limits) {
    this.start = start;
    this.routes = routes;
    this.limits = new ClaimLimits(Math.min(MESSAGES, limits.messages()), limits.bytes());
    this.running = start.s1.running();
  }

  /** None if nothing is known to guess from, or if many transactions may be stragglers. */
  static @Nullable SpeculativeClaim at(
      @Nullable Start start, @Nullable Routes routes, ClaimLimits limits) {
    return start == null || routes == null || start.s1.running().size() > MOST_RUNNING
        ? null
        : new SpeculativeClaim(start, routes, limits);
  }

  /** Once; the lane is locked and looked at. */
  LaneRow lock(Database.Tx tx, Lane lane) throws SQLException {
    try (Query query = tx.query(LaneRow.LOCK, running.isEmpty() ? RANGE : ALL)) {
      LogReader.set(query, lane.destination(), routes, start.low1, upto(), limits)
          .setLongs("ahead", List.of())
          .set("lane", lane.number())
          .set("token", lane.token())
          .set("s1", start.s1.text());
      if (!running.isEmpty()) {
        LogReader.setStragglers(query, routes, running, after(), start.low1);
      }
      long low = LaneRow.low(query, lane);
      query.each(found -> take(found, low));
    }
    // The statement reads them in this order, but does not promise it.
    first.sort(Comparator.comparingLong(message -> message.delivery().seq()));
    return LaneRow.checked(lane, row);
  }

  private void take(ResultSet found, long low) throws SQLException {
    if (row == null) {
      row = LaneRow.of(found, low);
    }
    if (found.getObject(1) != null) {
      first.add(MessageRow.sizedFromLog(found));
    }
  }

  /** Stragglers stand anywhere below. */
  private long after() {
    return running.isEmpty() ? start.low1 : 0;
  }

  private long upto() {
    return start.low1 + LogReader.SPAN;
  }

  /** The first page of this window, if the guess was right; it is empty only if the window is. */
  @Nullable Page read(LogReader reader, Window next, Routes known) throws SQLException {
    return start.isOf(next) && routes.id().equals(known.id())
        ? reader.begun(next, after(), upto(), first, limits)
        : null;
  }
}
