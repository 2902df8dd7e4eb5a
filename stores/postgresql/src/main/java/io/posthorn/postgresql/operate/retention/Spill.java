package io.posthorn.postgresql.operate.retention;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Key;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.store.ClaimLimits;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.RelayStore;
import io.posthorn.postgresql.lane.Cursor;
import io.posthorn.postgresql.lane.LaneRow;
import io.posthorn.postgresql.lane.Progress;
import io.posthorn.postgresql.lane.Window;
import io.posthorn.postgresql.log.LogReader;
import io.posthorn.postgresql.log.Page;
import io.posthorn.postgresql.operate.audit.AuditLog;
import io.posthorn.postgresql.parked.LogParker;
import io.posthorn.postgresql.parked.ParkedWriter;
import io.posthorn.postgresql.route.Routes;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Copies the messages that a destination has not passed to its parked messages, in order, and moves
 * its cursor past them, so that the log need not keep them. It works page by page, each in one
 * transaction with its progress, under the lane's lock, so it may be killed at any moment. A relay
 * that holds the lane meanwhile finds an unexpected progress, drops what it has in memory and
 * claims again.
 */
public final class Spill {
  private static final ClaimLimits PAGE = new ClaimLimits(1_000, 8L << 20);

  // Reads the sequence before the lock gives this transaction an id, as every claim does.
  private static final Sql LOCK =
      Sql.of(
          "lock lane to spill",
          """
          WITH drawn AS MATERIALIZED (
            SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS low
              FROM posthorn_seq
          )
          SELECT drawn.low
            FROM posthorn_lane l
           CROSS JOIN drawn
           WHERE l.destination = :destination
             AND l.lane = :lane
             FOR NO KEY UPDATE OF l
          """);

  private static final Sql LANES =
      Sql.of(
          "find lanes to spill",
          """
          SELECT lane
            FROM posthorn_lane
           WHERE destination = :destination
           ORDER BY lane
          """);

  private record Step(int messages, boolean more) {}

  private final Database database;

  public Spill(Database database) {
    this.database = database;
  }

  public long spill(String destination, Actor by) {
    List<Integer> lanes =
        database.read(
            "finding the lanes of '" + destination + "'",
            LANES,
            query -> query.set("destination", destination).rows(row -> row.getInt(1)));
    if (lanes.isEmpty() || destination.equals(RelayStore.UNROUTED)) {
      throw new PosthornException(
          lanes.isEmpty() ? ErrorCode.NOT_FOUND : ErrorCode.INVALID_REQUEST,
          "nothing was spilled: '%s' is not a destination whose messages can be spilled. Run 'posthorn destinations list' to see the destinations."
              .formatted(destination));
    }
    long all = 0;
    for (int number : lanes) {
      Lane lane = new Lane(destination, number, new UUID(0, 0));
      for (boolean more = true; more; ) {
        Step step = database.transaction("spilling lane " + lane, tx -> step(tx, lane, by));
        all += step.messages;
        more = step.more;
      }
    }
    return all;
  }

  private static Step step(Database.Tx tx, Lane lane, Actor by) throws SQLException {
    LaneRow row = lock(tx, lane);
    if (row.waits()) {
      throw new PosthornException(
          ErrorCode.CONFLICT,
          "lane %s was not spilled: its destination has a new route or is being rewound, and older messages must be parked first. Try again when that is done; it usually takes seconds."
              .formatted(lane));
    }
    Cursor cursor = row.cursor();
    Routes routes = Routes.read(tx, lane.destination(), row.routesId());
    LogReader reader = new LogReader(tx, lane.destination(), row.buckets(), routes);
    Window open = cursor.window();
    Window window = open == null ? row.next(lane) : open;
    Page page = reader.read(window, cursor.last(), cursor.ahead(), PAGE);
    park(tx, lane, page.deliveries());
    if (page.more()) {
      List<Long> ahead = cursor.ahead().stream().filter(seq -> seq > page.end()).toList();
      Progress.open(tx, lane, UUID.randomUUID(), window, page.end(), ahead);
    } else {
      Progress.closed(tx, lane, UUID.randomUUID(), window.s2(), window.low2());
    }
    int messages = page.deliveries().size();
    if (messages > 0) {
      AuditLog.write(
          tx, by, "destination.spill", lane.destination(), null, messages + " messages parked");
    }
    // A window that was already open ends at an earlier moment; the next one reaches the present.
    return new Step(messages, page.more() || open != null);
  }

  private static LaneRow lock(Database.Tx tx, Lane lane) throws SQLException {
    try (Query query = tx.query(LOCK, LaneRow.LOOK)) {
      query.set("destination", lane.destination()).set("lane", lane.number());
      return LaneRow.locked(query, lane);
    }
  }

  private static void park(Database.Tx tx, Lane lane, List<Delivery> deliveries)
      throws SQLException {
    if (deliveries.isEmpty()) {
      return;
    }
    List<Long> seqs = deliveries.stream().map(Delivery::seq).toList();
    LogParker.park(tx, lane.destination(), seqs);
    Set<Key> keys = new HashSet<>();
    for (Delivery delivery : deliveries) {
      Key key = delivery.message().key();
      if (key != null) {
        keys.add(key);
      }
    }
    ParkedWriter.wake(tx, lane.destination(), keys);
  }
}
