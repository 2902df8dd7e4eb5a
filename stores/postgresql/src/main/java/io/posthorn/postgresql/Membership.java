package io.posthorn.postgresql;

import io.posthorn.core.store.Lane;
import io.posthorn.core.store.Members;
import io.posthorn.core.store.RelayIdentity;
import io.posthorn.core.store.Serving;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Who is alive, and who holds which lane. All times are the database's. A lease that has run out is
 * never revived: its holder comes back as another.
 */
final class Membership {
  private static final Sql JOIN =
      Sql.of(
          "join",
          """
          INSERT INTO posthorn_relay (id, name, application, expires_at)
          VALUES (:id, :name, :application, clock_timestamp() + make_interval(secs => :lease))
          """);

  private static final Sql SERVE =
      Sql.of(
          "serve",
          """
          INSERT INTO posthorn_relay_serves (relay, destination, types)
          VALUES (:relay, :destination, :types)
          """);

  private static final Sql BEAT =
      Sql.of(
          "beat",
          """
          UPDATE posthorn_relay
             SET expires_at = clock_timestamp() + make_interval(secs => :lease)
           WHERE id = :id
             AND expires_at > clock_timestamp()
          """);

  private static final Sql RELAYS =
      Sql.of(
          "read relays",
          """
          SELECT r.id, s.destination, s.types
            FROM posthorn_relay r
            JOIN posthorn_relay_serves s ON s.relay = r.id
           WHERE r.expires_at > clock_timestamp()
          """);

  private static final Sql LANES =
      Sql.of(
          "read lanes",
          """
          SELECT l.destination, l.lane, l.relay,
                 r.id IS NULL OR r.expires_at <= clock_timestamp() AS free
            FROM posthorn_lane l
            LEFT JOIN posthorn_relay r ON r.id = l.relay
           ORDER BY l.destination, l.lane
          """);

  private static final Sql ROUTES =
      Sql.of(
          "read all routes",
          """
          SELECT destination, array_agg(DISTINCT type) AS types
            FROM posthorn_route
           GROUP BY destination
          """);

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

  private static final Sql HOLDER =
      Sql.of(
          "find holder",
          """
          SELECT relay
            FROM posthorn_lane
           WHERE destination = :destination
             AND lane = :lane
          """);

  // Locks the holder's heartbeat and looks again, so that a beat at the same moment either comes
  // first and keeps
  // the lane, or finds its lease gone.
  private static final Sql EXPIRE =
      Sql.of(
          "expire holder",
          """
          UPDATE posthorn_relay
             SET expires_at = '-infinity'
           WHERE id = :id
             AND expires_at <= clock_timestamp()
          """);

  private static final Sql EXISTS =
      Sql.of("find relay", "SELECT 1 FROM posthorn_relay WHERE id = :id");

  private static final Sql GRANT =
      Sql.of(
          "grant lane",
          """
          UPDATE posthorn_lane
             SET relay = :relay,
                 token = :token,
                 granted_at = clock_timestamp()
           WHERE destination = :destination
             AND lane = :lane
             AND relay IS NOT DISTINCT FROM CAST(:holder AS uuid)
          """);

  // A message that waits for its turn while none stands before it would wait for ever: nobody
  // should leave one
  // behind, and every new owner of the lane makes sure.
  private static final Sql WAKE_ORPHANS =
      Sql.of(
          "wake orphans",
          """
          UPDATE posthorn_parked p
             SET next_attempt_at = clock_timestamp()
           WHERE p.destination = :destination
             AND p.waiting = 'TURN'
             AND p.next_attempt_at IS NULL
             AND NOT EXISTS (SELECT 1
                               FROM posthorn_parked o
                              WHERE o.destination = p.destination
                                AND o.aggregate_type = p.aggregate_type
                                AND o.key = p.key
                                AND o.waiting <> 'TIME'
                                AND (o.position, o.seq) < (p.position, p.seq))
          """);

  private static final Sql RELEASE =
      Sql.of(
          "release lane",
          """
          UPDATE posthorn_lane
             SET relay = NULL,
                 token = NULL
           WHERE destination = :destination
             AND lane = :lane
             AND token = :token
          """);

  private static final Sql RELEASE_ALL =
      Sql.of(
          "release lanes",
          """
          UPDATE posthorn_lane
             SET relay = NULL,
                 token = NULL
           WHERE relay = :id
          """);

  private static final Sql LEAVE =
      Sql.of(
          "leave",
          """
          DELETE FROM posthorn_relay
           WHERE id = :id
          """);

  // A relay that was killed leaves its row; nobody needs it once its lanes are taken.
  private static final Sql BURY =
      Sql.of(
          "remove dead relays",
          """
          DELETE FROM posthorn_relay r
           WHERE r.expires_at < clock_timestamp() - interval '1 hour'
             AND NOT EXISTS (SELECT 1 FROM posthorn_lane l WHERE l.relay = r.id)
          """);

  private final Database database;

  Membership(Database database) {
    this.database = database;
  }

  void join(RelayIdentity relay, List<Serving> serves, Duration lease) {
    database.transaction(
        "joining as relay '" + relay.name() + "'",
        tx -> {
          try (Query query = tx.query(JOIN)) {
            query
                .set("id", relay.id())
                .set("name", relay.name())
                .set("application", relay.application())
                .set("lease", lease)
                .update();
          }
          for (Serving serving : serves) {
            try (Query query = tx.query(SERVE)) {
              query
                  .set("relay", relay.id())
                  .set("destination", serving.destination())
                  .setTexts("types", serving.types())
                  .update();
            }
          }
          try (Query query = tx.query(BURY)) {
            return query.update();
          }
        });
  }

  Optional<Members> beat(RelayIdentity relay, Duration lease) {
    return database.transaction(
        "the heartbeat of relay '" + relay.name() + "'",
        tx -> {
          try (Query query = tx.query(BEAT)) {
            if (query.set("id", relay.id()).set("lease", lease).update() == 0) {
              return Optional.empty();
            }
          }
          return Optional.of(new Members(relays(tx), lanes(tx), routes(tx)));
        });
  }

  private static List<Members.Member> relays(Database.Tx tx) throws SQLException {
    Map<UUID, List<Serving>> serves = new LinkedHashMap<>();
    try (Query query = tx.query(RELAYS)) {
      query.rows(
          row ->
              serves
                  .computeIfAbsent(row.getObject("id", UUID.class), id -> new ArrayList<>())
                  .add(serving(row)));
    }
    return serves.entrySet().stream()
        .map(entry -> new Members.Member(entry.getKey(), entry.getValue()))
        .toList();
  }

  private static Serving serving(ResultSet row) throws SQLException {
    String[] types = (String[]) row.getArray("types").getArray();
    return new Serving(row.getString("destination"), Set.of(types));
  }

  private static List<Members.Holding> lanes(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(LANES)) {
      return query.rows(
          row ->
              new Members.Holding(
                  row.getString("destination"),
                  row.getInt("lane"),
                  row.getObject("relay", UUID.class),
                  row.getBoolean("free")));
    }
  }

  private static List<Serving> routes(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(ROUTES)) {
      return query.rows(Membership::serving);
    }
  }

  Optional<Lane> take(RelayIdentity relay, String destination, int lane) {
    return database.transaction(
        "taking lane " + destination + "#" + lane,
        tx -> {
          if (!alive(tx, relay)) {
            return Optional.empty();
          }
          UUID holder = holder(tx, destination, lane);
          if (holder != null && !expired(tx, holder)) {
            return Optional.empty();
          }
          Lane granted = new Lane(destination, lane, UUID.randomUUID());
          if (!grant(tx, relay, granted, holder)) {
            return Optional.empty();
          }
          try (Query query = tx.query(WAKE_ORPHANS)) {
            query.set("destination", destination).update();
          }
          return Optional.of(granted);
        });
  }

  private static boolean alive(Database.Tx tx, RelayIdentity relay) throws SQLException {
    try (Query query = tx.query(ALIVE)) {
      return query.set("id", relay.id()).any();
    }
  }

  private static @Nullable UUID holder(Database.Tx tx, String destination, int lane)
      throws SQLException {
    try (Query query = tx.query(HOLDER)) {
      return query
          .set("destination", destination)
          .set("lane", lane)
          .first(row -> row.getObject("relay", UUID.class));
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

  private static boolean grant(
      Database.Tx tx, RelayIdentity relay, Lane granted, @Nullable UUID holder)
      throws SQLException {
    try (Query query = tx.query(GRANT)) {
      return query
              .set("relay", relay.id())
              .set("token", granted.token())
              .set("destination", granted.destination())
              .set("lane", granted.number())
              .set("holder", holder == null ? null : holder.toString())
              .update()
          == 1;
    }
  }

  void release(Lane lane) {
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

  void leave(RelayIdentity relay) {
    database.transaction(
        "leaving as relay '" + relay.name() + "'",
        tx -> {
          try (Query query = tx.query(RELEASE_ALL)) {
            query.set("id", relay.id()).update();
          }
          try (Query query = tx.query(LEAVE)) {
            return query.set("id", relay.id()).update();
          }
        });
  }
}
