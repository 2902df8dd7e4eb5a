package io.posthorn.postgresql;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.store.PurgeReport;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Empties the leaves of the ring whose days are over and whose messages every destination has
 * passed.
 *
 * <p>The order of the steps is what makes it safe. A SHARE lock first: it waits until no
 * transaction that has written into the leaf is open, so nothing can appear in it after the check.
 * The check comes in a later statement, so that it sees what those transactions committed. Only
 * then the exclusive lock, for which it never waits longer than a moment: a waiting one would stop
 * everybody behind it. A leaf that cannot be emptied gets another day.
 */
final class Retention {
  /** A destination must have passed a leaf for so long before it goes. */
  private static final Duration SETTLED = Duration.ofHours(1);

  private static final int CHUNK = 10_000;
  private static final String LOCK_NOT_AVAILABLE = "55P03";

  private static final Sql EXCLUDE =
      Sql.of("exclude others", "SELECT 1 FROM posthorn_meta FOR UPDATE");

  private static final Sql TODAY =
      Sql.of("read today", "SELECT posthorn_slot(clock_timestamp())::int");

  private static final String NEWEST =
      """
      SELECT max(recorded_at) > clock_timestamp() - make_interval(secs => :retention)
        FROM %s
      """;

  // The row of an hour ago, not the newest: by then every reader that was under way has ended.
  private static final String BEHIND =
      """
      SELECT l.destination
        FROM posthorn_lane l
        LEFT JOIN LATERAL
             (SELECT p.s1
                FROM posthorn_progress p
               WHERE p.destination = l.destination
                 AND p.lane = l.lane
                 AND p.at < clock_timestamp() - make_interval(secs => :settled)
               ORDER BY p.n DESC
               LIMIT 1) c ON true
       WHERE c.s1 IS NULL
          OR EXISTS (SELECT 1
                       FROM %s m
                      WHERE m.tx >= pg_snapshot_xmin(c.s1)
                        AND NOT pg_visible_in_snapshot(m.tx, c.s1))
       ORDER BY l.destination
       LIMIT 1
      """;

  private static final String NEWEST_PROGRESS =
      """
      SELECT max(at) > clock_timestamp() - make_interval(secs => :retention)
        FROM %s
      """;

  private static final String HOLDS_NEWEST =
      """
      SELECT l.destination
        FROM posthorn_lane l
       CROSS JOIN LATERAL
             (SELECT p.n
                FROM posthorn_progress p
               WHERE p.destination = l.destination
                 AND p.lane = l.lane
               ORDER BY p.n DESC
               LIMIT 1) newest
        JOIN %s m ON m.destination = l.destination AND m.lane = l.lane AND m.n = newest.n
       LIMIT 1
      """;

  private static final Sql FORGET_IDS =
      Sql.of(
          "forget given ids",
          """
          DELETE FROM posthorn_given_id
           WHERE id IN (SELECT id
                          FROM posthorn_given_id
                         WHERE recorded_at < clock_timestamp() - make_interval(secs => :retention)
                         LIMIT :chunk)
          """);

  private final Database database;

  Retention(Database database) {
    this.database = database;
  }

  PurgeReport purge(Duration retention) {
    if (retention.toDays() + Ring.MARGIN > Ring.LEAVES) {
      throw new PosthornException(
          ErrorCode.CONFIGURATION,
          "nothing was purged: a retention of %d days does not fit into the ring of %d leaves. Choose at most %d days."
              .formatted(retention.toDays(), Ring.LEAVES, Ring.LEAVES - Ring.MARGIN));
    }
    List<String> emptied = new ArrayList<>();
    List<String> waiting = new ArrayList<>();
    int today = today();
    for (int day = Ring.MARGIN - 1; day < Ring.LEAVES - 1; day++) {
      // From the oldest on; today, yesterday and tomorrow are left alone.
      int slot = Math.floorMod(today + 1 + Ring.LEAVES - day, Ring.LEAVES);
      for (Ring ring : Ring.values()) {
        String leaf = ring.leaf(slot);
        empty(ring, leaf, retention)
            .ifPresentOrElse(why -> waiting.add(leaf + ": " + why), () -> emptied.add(leaf));
      }
    }
    waiting.removeIf(line -> line.endsWith(EMPTY));
    forgetIds(retention);
    return new PurgeReport(emptied, waiting);
  }

  private static final String EMPTY = "it is empty";

  private int today() {
    return database.transaction(
        "reading the day",
        tx -> {
          try (Query query = tx.query(TODAY)) {
            return Objects.requireNonNull(query.first(row -> row.getInt(1)));
          }
        });
  }

  /** Returns why the leaf was not emptied; empty if it was. */
  private Optional<String> empty(Ring ring, String leaf, Duration retention) {
    try {
      return database.transaction("emptying " + leaf, tx -> emptyIn(tx, ring, leaf, retention));
    } catch (PosthornException e) {
      if (e.getCause() instanceof SQLException cause
          && LOCK_NOT_AVAILABLE.equals(cause.getSQLState())) {
        return Optional.of(
            "an open transaction uses it (see pg_locks for " + leaf + "); it gets another day");
      }
      throw e;
    }
  }

  private static Optional<String> emptyIn(
      Database.Tx tx, Ring ring, String leaf, Duration retention) throws SQLException {
    try (Query query = tx.query(EXCLUDE)) {
      query.any();
    }
    try (Query query = tx.query(Sql.of("look into leaf", "SELECT 1 FROM " + leaf + " LIMIT 1"))) {
      if (!query.any()) {
        return Optional.of(EMPTY);
      }
    }
    tx.execute("SET LOCAL lock_timeout = '100ms'");
    tx.execute("LOCK TABLE ONLY " + leaf + " IN SHARE MODE");
    boolean log = ring == Ring.LOG;
    try (Query query =
        tx.query(Sql.of("date leaf", (log ? NEWEST : NEWEST_PROGRESS).formatted(leaf)))) {
      if (Boolean.TRUE.equals(query.set("retention", retention).first(row -> row.getBoolean(1)))) {
        return Optional.of("its newest row is younger than the retention");
      }
    }
    try (Query query =
        tx.query(Sql.of("check leaf", (log ? BEHIND : HOLDS_NEWEST).formatted(leaf)))) {
      if (log) {
        query.set("settled", SETTLED);
      }
      String destination = query.first(row -> row.getString(1));
      if (destination != null) {
        return Optional.of(
            log
                ? "destination '" + destination + "' has not passed it, or not for an hour"
                : "it holds the newest progress of destination '" + destination + "'");
      }
    }
    tx.execute("LOCK TABLE ONLY " + leaf + " IN ACCESS EXCLUSIVE MODE");
    tx.execute("TRUNCATE TABLE ONLY " + leaf);
    return Optional.empty();
  }

  /** Given ids are kept twice as long as the log, so that a repeat finds its first time. */
  private void forgetIds(Duration retention) {
    database.transaction(
        "forgetting given ids",
        tx -> {
          try (Query query = tx.query(FORGET_IDS)) {
            return query.set("retention", retention.multipliedBy(2)).set("chunk", CHUNK).update();
          }
        });
  }
}
