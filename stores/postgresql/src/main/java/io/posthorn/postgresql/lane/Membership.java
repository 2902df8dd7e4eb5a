package io.posthorn.postgresql.lane;

import io.posthorn.core.store.ClusterState;
import io.posthorn.core.store.RelayIdentity;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
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

/**
 * Which relays are alive, and which relay holds which lane. All times are the database's. An
 * expired lease is never revived: its holder joins again under a new identity.
 */
public final class Membership {
  private static final Sql JOIN =
      Sql.of(
          "join",
          """
          INSERT INTO posthorn_relay (id, name, application, lease, expires_at)
          VALUES (:id, :name, :application, make_interval(secs => :lease),
                  clock_timestamp() + make_interval(secs => :lease))
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
             SET lease = make_interval(secs => :lease),
                 expires_at = clock_timestamp() + make_interval(secs => :lease)
           WHERE id = :id
             AND expires_at > clock_timestamp()
          """);

  // A lease that ends later than one that begins now shows that the clock was set back. A live
  // holder extends it as usual. The lanes of a dead one must not stay with it for as long as the
  // clock was set back. SKIP LOCKED, because a locked row is just being extended.
  private static final Sql SHORTEN =
      Sql.of(
          "shorten leases",
          """
          UPDATE posthorn_relay
             SET expires_at = clock_timestamp() + lease
           WHERE id = ANY (ARRAY (
                   SELECT id
                     FROM posthorn_relay
                    WHERE expires_at > clock_timestamp() + lease
                      FOR NO KEY UPDATE SKIP LOCKED))
          """);

  private static final Sql RELAYS =
      Sql.of(
          "read relays",
          """
          SELECT r.id, s.destination, s.types
            FROM posthorn_relay r
            LEFT JOIN posthorn_relay_serves s ON s.relay = r.id
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

  private static final Sql RELEASE_ALL =
      Sql.of(
          "release lanes",
          """
          UPDATE posthorn_lane
             SET relay = NULL,
                 token = NULL,
                 range_token = NULL
           WHERE relay = :id
          """);

  private static final Sql LEAVE =
      Sql.of(
          "leave",
          """
          DELETE FROM posthorn_relay
           WHERE id = :id
          """);

  // A relay that was killed leaves its row. No relay needs it once its lanes are taken.
  private static final Sql BURY =
      Sql.of(
          "remove dead relays",
          """
          DELETE FROM posthorn_relay r
           WHERE r.expires_at < clock_timestamp() - interval '1 hour'
             AND NOT EXISTS (SELECT 1 FROM posthorn_lane l WHERE l.relay = r.id)
          """);

  private final Database database;

  public Membership(Database database) {
    this.database = database;
  }

  public void join(RelayIdentity relay, List<ServedDestination> serves, Duration lease) {
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
          for (ServedDestination serving : serves) {
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

  public Optional<ClusterState> beat(RelayIdentity relay, Duration lease) {
    return database.transaction(
        "the heartbeat of relay '" + relay.name() + "'",
        tx -> {
          try (Query query = tx.query(BEAT, SHORTEN, RELAYS, LANES, ROUTES)) {
            if (query.set("id", relay.id()).set("lease", lease).count() == 0) {
              return Optional.empty();
            }
            query.count();
            return Optional.of(new ClusterState(relays(query), lanes(query), routes(query)));
          }
        });
  }

  private static List<ClusterState.Member> relays(Query query) throws SQLException {
    Map<UUID, List<ServedDestination>> serves = new LinkedHashMap<>();
    query.rows(
        row -> {
          List<ServedDestination> its =
              serves.computeIfAbsent(row.getObject("id", UUID.class), id -> new ArrayList<>());
          return row.getString("destination") == null || its.add(serving(row));
        });
    return serves.entrySet().stream()
        .map(entry -> new ClusterState.Member(entry.getKey(), entry.getValue()))
        .toList();
  }

  private static ServedDestination serving(ResultSet row) throws SQLException {
    String[] types = (String[]) row.getArray("types").getArray();
    return new ServedDestination(row.getString("destination"), Set.of(types));
  }

  private static List<ClusterState.Holding> lanes(Query query) throws SQLException {
    return query.rows(
        row ->
            new ClusterState.Holding(
                row.getString("destination"),
                row.getInt("lane"),
                row.getObject("relay", UUID.class),
                row.getBoolean("free")));
  }

  private static List<ServedDestination> routes(Query query) throws SQLException {
    return query.rows(Membership::serving);
  }

  public void leave(RelayIdentity relay) {
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
