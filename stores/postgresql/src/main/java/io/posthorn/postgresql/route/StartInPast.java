package io.posthorn.postgresql.route;

import io.posthorn.core.store.RelayStore;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.postgresql.lane.Snapshot;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/**
 * Where a new destination begins that wants messages of the past. The caller has locked the lane of
 * unrouted and the row that excludes retention.
 *
 * <p>Unrouted has walked the whole log, so its progress of that time is a good cursor: every
 * message that it sees was recorded before. A message that it does not see may still be older than
 * the time, so the routes store the time as well and decide by it.
 *
 * @param s1 sees only messages that were recorded before the time
 * @param low1 transactions that s1 neither sees nor names as running have only higher numbers
 */
record StartInPast(Snapshot s1, long low1, Instant time) {
  private static final Sql BEFORE =
      Sql.of(
          "find progress of that time",
          """
          SELECT s1, low1
            FROM posthorn_progress
           WHERE destination = :unrouted
             AND lane = :lane
             AND at <= :time
           ORDER BY n DESC
           LIMIT 1
          """);

  // Lower than every visible number, and than every number that an open transaction may have drawn:
  // open transactions began after a progress that knows none of them.
  private static final Sql EARLIEST =
      Sql.of(
          "find beginning of log",
          """
          SELECT least(CAST(:low AS bigint),
                       (SELECT min(seq) - 1 FROM posthorn_log),
                       coalesce((SELECT low1
                                   FROM posthorn_progress
                                  WHERE destination = :unrouted
                                    AND lane = :lane
                                    AND pg_snapshot_xmax(s1) <= pg_snapshot_xmin(pg_current_snapshot())
                                  ORDER BY n DESC
                                  LIMIT 1), 0))
          """);

  // A future time counts as now, so that every later number is covered.
  private static final Sql ADD_ROUTE =
      Sql.of(
          "add route from the past",
          """
          INSERT INTO posthorn_route (application, destination, type, since, since_seq, since_time)
          SELECT :application, :destination, :type, CAST(:since AS pg_snapshot), s.last_value,
                 least(CAST(:time AS timestamptz), clock_timestamp())
            FROM posthorn_seq s
          """);

  // Messages that the destination will read from the log must not be handed over to it as well.
  private static final Sql MARK_GIVEN =
      Sql.of(
          "mark unrouted as given",
          """
          UPDATE posthorn_parked p
             SET given_to = p.given_to || CAST(:destination AS text)
           WHERE p.destination = :unrouted
             AND EXISTS (SELECT 1
                           FROM posthorn_log l
                           JOIN posthorn_route r ON r.destination = :destination AND r.type IN (l.type, '*')
                          WHERE l.id = p.message_id
                            AND NOT pg_visible_in_snapshot(l.tx, r.since)
                            AND l.recorded_at >= r.since_time)
          RETURNING CASE WHEN p.dead_letter IS NOT NULL THEN p.message_id END AS requeued
          """);

  static StartInPast from(Database.Tx tx, Instant time, long low) throws SQLException {
    try (Query query = tx.query(BEFORE)) {
      StartInPast past =
          query
              .set("unrouted", RelayStore.UNROUTED)
              .set("lane", Unrouted.LANE.number())
              .set("time", time)
              .first(
                  row -> new StartInPast(Snapshot.parse(row.getString(1)), row.getLong(2), time));
      if (past != null) {
        return past;
      }
    }
    try (Query query = tx.query(EARLIEST)) {
      long low1 =
          Objects.requireNonNull(
              query
                  .set("unrouted", RelayStore.UNROUTED)
                  .set("lane", Unrouted.LANE.number())
                  .set("low", low)
                  .first(row -> row.getLong(1)));
      return new StartInPast(Snapshot.NOTHING, low1, time);
    }
  }

  /** Adds the first routes of the destination. */
  void addRoutes(Database.Tx tx, String application, ServedDestination serving)
      throws SQLException {
    for (String type : serving.types()) {
      try (Query query = tx.query(ADD_ROUTE)) {
        query
            .set("application", application)
            .set("destination", serving.destination())
            .set("type", type)
            .set("since", s1.text())
            .set("time", time)
            .update();
      }
    }
    try (Query query = tx.query(MARK_GIVEN)) {
      List<Optional<UUID>> given =
          query
              .set("unrouted", RelayStore.UNROUTED)
              .set("destination", serving.destination())
              .rows(row -> Optional.ofNullable(row.getObject("requeued", UUID.class)));
      List<UUID> requeued = given.stream().flatMap(Optional::stream).toList();
      HandOver.part(tx, requeued, serving.destination());
    }
  }
}
