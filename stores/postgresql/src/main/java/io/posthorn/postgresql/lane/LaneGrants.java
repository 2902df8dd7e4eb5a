package io.posthorn.postgresql.lane;

import io.posthorn.core.store.Lane;
import io.posthorn.core.store.RelayIdentity;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Grants lanes. A lane can be taken if it is free or its owner's lease has expired, and has one
 * owner at a time.
 */
public final class LaneGrants {
  private static final Sql ALIVE =
      Sql.of(
          "check own lease",
          """
          SELECT 1
            FROM posthorn_relay
           WHERE id = :id
             AND expires_at > clock_timestamp()
             FOR SHARE
          """);

  // SKIP LOCKED, so that it never waits: the transaction that has locked the row belongs to a live
  // relay, or is ended soon.
  private static final Sql HOLDER =
      Sql.of(
          "find holder",
          """
          SELECT relay
            FROM posthorn_lane
           WHERE destination = :destination
             AND lane = :lane
             FOR NO KEY UPDATE SKIP LOCKED
          """);

  // Locks the holder's heartbeat row and checks again. A heartbeat at the same moment either comes
  // first and keeps the lane, or finds its lease expired.
  private static final Sql EXPIRE =
      Sql.of(
          "expire holder",
          """
          UPDATE posthorn_relay
             SET expires_at = '-infinity'
           WHERE id = (SELECT id
                         FROM posthorn_relay
                        WHERE id = :id
                          AND expires_at <= clock_timestamp()
                          FOR UPDATE SKIP LOCKED)
          """);

  // A program that froze while the server was sending it a page does not count as idle. The server
  // would wait for it for ever, with the lane locked.
  private static final Sql END_FROZEN =
      Sql.of(
          "end frozen sessions",
          """
          SELECT pg_terminate_backend(pid)
            FROM pg_stat_activity
           WHERE datname = current_database()
             AND usename = current_user
             AND wait_event = 'ClientWrite'
             AND query LIKE '%/* posthorn: %'
             AND query_start < clock_timestamp() - interval '5 seconds'
          """);

  private static final Sql EXISTS =
      Sql.of("find relay", "SELECT 1 FROM posthorn_relay WHERE id = :id");

  // A statement after the lock: while any lane is locked or held, their number does not change.
  private static final Sql GRANT =
      Sql.of(
          "grant lane",
          """
          UPDATE posthorn_lane
             SET relay = :relay,
                 token = :token,
                 range_token = :token,
                 granted_at = clock_timestamp()
           WHERE destination = :destination
             AND lane = :lane
             AND relay IS NOT DISTINCT FROM CAST(:holder AS uuid)
          RETURNING (SELECT count(*)
                       FROM posthorn_lane n
                      WHERE n.destination = :destination) AS lanes
          """);

  private static final Sql RELEASE =
      Sql.of(
          "release lane",
          """
          UPDATE posthorn_lane
             SET relay = NULL,
                 token = NULL,
                 range_token = NULL
           WHERE destination = :destination
             AND lane = :lane
             AND token = :token
          """);

  private final Database database;

  public LaneGrants(Database database) {
    this.database = database;
  }

  public Optional<Lane> take(RelayIdentity relay, String destination, int lane) {
    return database.transaction(
        "taking lane " + destination + "#" + lane,
        tx -> {
          if (!alive(tx, relay)) {
            return Optional.empty();
          }
          Optional<Holder> found = holder(tx, destination, lane);
          if (found.isEmpty()) {
            try (Query query = tx.query(END_FROZEN)) {
              query.any();
            }
            return Optional.empty();
          }
          UUID holder = found.get().relay;
          // The lane may already be its own, from an earlier call whose answer was lost. It gets a
          // new token.
          boolean own = relay.id().equals(holder);
          if (holder != null && !own && !expired(tx, holder)) {
            return Optional.empty();
          }
          return grant(tx, relay, destination, lane, holder);
        });
  }

  private static boolean alive(Database.Tx tx, RelayIdentity relay) throws SQLException {
    try (Query query = tx.query(ALIVE)) {
      return query.set("id", relay.id()).any();
    }
  }

  private record Holder(@Nullable UUID relay) {}

  /** Returns the holder, or empty if another transaction has locked the lane. */
  private static Optional<Holder> holder(Database.Tx tx, String destination, int lane)
      throws SQLException {
    try (Query query = tx.query(HOLDER)) {
      return Optional.ofNullable(
          query
              .set("destination", destination)
              .set("lane", lane)
              .first(row -> new Holder(row.getObject("relay", UUID.class))));
    }
  }

  private static boolean expired(Database.Tx tx, UUID holder) throws SQLException {
    try (Query expire = tx.query(EXPIRE)) {
      if (expire.set("id", holder).update() == 1) {
        return true;
      }
    }
    try (Query exists = tx.query(EXISTS)) {
      return !exists.set("id", holder).any();
    }
  }

  private static Optional<Lane> grant(
      Database.Tx tx, RelayIdentity relay, String destination, int lane, @Nullable UUID holder)
      throws SQLException {
    UUID token = UUID.randomUUID();
    try (Query query = tx.query(GRANT)) {
      return Optional.ofNullable(
          query
              .set("relay", relay.id())
              .set("token", token)
              .set("destination", destination)
              .set("lane", lane)
              .set("holder", holder == null ? null : holder.toString())
              .first(row -> new Lane(destination, lane, token, row.getInt("lanes"))));
    }
  }

  public void release(Lane lane) {
    database.transaction(
        "releasing lane " + lane,
        tx -> {
          try (Query query = tx.query(RELEASE)) {
            return query
                .set("destination", lane.destination())
                .set("lane", lane.number())
                .set("token", lane.token())
                .update();
          }
        });
  }
}
