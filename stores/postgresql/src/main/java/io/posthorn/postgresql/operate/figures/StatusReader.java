package io.posthorn.postgresql.operate.figures;

import io.posthorn.core.operate.status.Status;
import io.posthorn.core.operate.status.Status.Backlog;
import io.posthorn.core.operate.status.Status.LiveRelay;
import io.posthorn.core.operate.steering.DestinationStatus;
import io.posthorn.postgresql.operate.steering.DestinationReader;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import io.posthorn.postgresql.sql.Times;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads the status: destinations with their backlogs, relays and the log. All of it is read from
 * one snapshot, so that a message that moves meanwhile is neither missed nor counted twice.
 */
public final class StatusReader {
  private static final Sql BACKLOG =
      Sql.of(
          "count pending",
          """
          SELECT destination, pending, estimated, oldest_at
            FROM posthorn_backlog_now
          """);

  private static final Sql RELAYS =
      Sql.of(
          "list relays",
          """
          SELECT r.name, r.application, r.started_at, r.expires_at,
                 (SELECT count(*) FROM posthorn_lane l WHERE l.relay = r.id) AS lanes
            FROM posthorn_relay r
           WHERE r.expires_at > clock_timestamp()
           ORDER BY r.started_at, r.name
          """);

  private static final Sql LOG =
      Sql.of(
          "measure log",
          """
          SELECT s.last_value AS last,
                 (SELECT recorded_at FROM posthorn_log ORDER BY seq LIMIT 1) AS oldest,
                 (SELECT sum(pg_total_relation_size(relid))
                    FROM pg_partition_tree('posthorn_log')
                   WHERE isleaf) AS bytes
            FROM posthorn_seq s
          """);

  private final Database database;

  public StatusReader(Database database) {
    this.database = database;
  }

  private record Pending(long messages, boolean estimated, @Nullable Instant oldest) {
    static final Pending NONE = new Pending(0, false, null);
  }

  public Status status() {
    return database.asksAtOnce(
        "reading the status",
        tx -> {
          List<DestinationStatus> destinations = DestinationReader.destinations(tx);
          Map<String, Pending> pending = new HashMap<>();
          try (Query query = tx.query(BACKLOG)) {
            query.rows(row -> pending.put(row.getString("destination"), pending(row)));
          }
          List<LiveRelay> relays;
          try (Query query = tx.query(RELAYS)) {
            relays = query.rows(StatusReader::relay);
          }
          try (Query query = tx.query(LOG)) {
            return new Status(
                destinations.stream()
                    .map(d -> backlog(d, pending.getOrDefault(d.name(), Pending.NONE)))
                    .toList(),
                relays,
                Objects.requireNonNull(query.first(StatusReader::log)));
          }
        });
  }

  private static Pending pending(ResultSet row) throws SQLException {
    return new Pending(
        row.getLong("pending"), row.getBoolean("estimated"), Times.nullable(row, "oldest_at"));
  }

  private static Backlog backlog(DestinationStatus destination, Pending pending) {
    return new Backlog(destination, pending.messages, pending.estimated, pending.oldest);
  }

  private static LiveRelay relay(ResultSet row) throws SQLException {
    return new LiveRelay(
        row.getString("name"),
        row.getString("application"),
        Times.instant(row, "started_at"),
        Times.instant(row, "expires_at"),
        row.getInt("lanes"));
  }

  private static Status.Log log(ResultSet row) throws SQLException {
    return new Status.Log(row.getLong("last"), Times.nullable(row, "oldest"), row.getLong("bytes"));
  }
}
