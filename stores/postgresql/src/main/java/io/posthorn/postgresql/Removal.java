package io.posthorn.postgresql;

import io.posthorn.core.audit.By;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.store.RelayStore;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Takes destinations and routes away, which registration never does.
 *
 * <p>The two exclude each other, and a relay joins before it registers: so either the relay is seen
 * here, and nothing is taken away from it, or it registers afterwards, and adds again what it
 * needs. The lane of the unrouted is locked as well: whatever is committed later is theirs, if
 * nobody else wants it.
 *
 * <p>The progress of a destination stays until its leaves are emptied: it tells what was sent when.
 */
final class Removal {
  private static final int CHUNK = 1_000;

  private static final Reason REMOVED =
      Reason.of("DESTINATION_REMOVED", "its destination was removed before it was sent");

  private static final Sql USERS =
      Sql.of(
          "find relays configured for it",
          """
          SELECT DISTINCT r.name, r.application
            FROM posthorn_relay_serves s
            JOIN posthorn_relay r ON r.id = s.relay AND r.expires_at > clock_timestamp()
           WHERE s.destination = :destination
             AND (:anyType OR s.types && CAST(:types AS text[]))
             AND r.application = coalesce(CAST(:application AS text), r.application)
           ORDER BY r.name
           LIMIT 5
          """);

  private static final Sql PARKED =
      Sql.of(
          "find parked to give up",
          """
          SELECT message_id
            FROM posthorn_parked
           WHERE destination = :destination
           ORDER BY message_id
           LIMIT :chunk
          """);

  private static final Sql REMOVE_ROUTES =
      Sql.of(
          "remove routes",
          """
          DELETE FROM posthorn_route
           WHERE destination = :destination
             AND (:anyType OR type = ANY (CAST(:types AS text[])))
             AND application = coalesce(CAST(:application AS text), application)
          RETURNING type || ' by ' || application
          """);

  // At the end the destination itself, which lanes refer to.
  private static final List<Sql> REMOVE =
      List.of(
          Sql.of("remove lanes", "DELETE FROM posthorn_lane WHERE destination = :destination"),
          Sql.of("remove held keys", "DELETE FROM posthorn_held WHERE destination = :destination"),
          Sql.of("remove pauses", "DELETE FROM posthorn_pause WHERE destination = :destination"),
          Sql.of("remove breaker", "DELETE FROM posthorn_breaker WHERE destination = :destination"),
          Sql.of("remove check", "DELETE FROM posthorn_check WHERE destination = :destination"),
          Sql.of(
              "remove destination", "DELETE FROM posthorn_destination WHERE name = :destination"));

  /** What it is about; no types = all of them, no application = all. */
  private record Which(String destination, Set<String> types, @Nullable String application) {
    Which(String destination) {
      this(destination, Set.of(), null);
    }

    Query set(Query query) throws SQLException {
      return query
          .set("destination", destination)
          .set("anyType", types.isEmpty())
          .setTexts("types", types)
          .set("application", application);
    }
  }

  private final Database database;

  Removal(Database database) {
    this.database = database;
  }

  int narrow(String destination, Set<String> types, @Nullable String application, By by) {
    Which which = new Which(destination, types, application);
    return database.transaction(
        "removing routes to '" + destination + "'",
        tx -> {
          exclude(tx, destination);
          refuseIfUsed(tx, which, "routes to '%s' were not removed".formatted(destination));
          List<String> gone = removeRoutes(tx, which);
          if (!gone.isEmpty()) {
            audit(tx, by, "destination.narrow", destination, gone);
          }
          return gone.size();
        });
  }

  /** In short transactions, until little is left. */
  long remove(String destination, By by) {
    long letters = 0;
    for (int some = CHUNK; some == CHUNK; letters += some) {
      some =
          database.transaction(
              "giving up what is parked for '" + destination + "'",
              tx -> {
                Lanes.lock(tx, destination);
                refuseIfUsed(tx, destination);
                return giveUp(tx, destination, by);
              });
    }
    return letters
        + database.transaction(
            "removing destination '" + destination + "'",
            tx -> {
              exclude(tx, destination);
              refuseIfUsed(tx, destination);
              return remove(tx, destination, by);
            });
  }

  private static int remove(Database.Tx tx, String destination, By by) throws SQLException {
    int letters = 0;
    for (int some = CHUNK; some == CHUNK; letters += some) {
      some = giveUp(tx, destination, by);
    }
    List<String> routes = removeRoutes(tx, new Which(destination));
    int removed = 0;
    for (Sql sql : REMOVE) {
      try (Query query = tx.query(sql)) {
        removed = query.set("destination", destination).update();
      }
    }
    if (removed > 0) {
      audit(tx, by, "destination.remove", destination, routes);
    }
    return letters;
  }

  private static void exclude(Database.Tx tx, String destination) throws SQLException {
    Names.exclude(tx);
    Lanes.lock(tx, List.of(RelayStore.UNROUTED, destination));
  }

  private static void refuseIfUsed(Database.Tx tx, String destination) throws SQLException {
    refuseIfUsed(
        tx, new Which(destination), "destination '%s' was not removed".formatted(destination));
  }

  private static void refuseIfUsed(Database.Tx tx, Which which, String what) throws SQLException {
    List<String> users;
    try (Query query = tx.query(USERS)) {
      users =
          which
              .set(query)
              .rows(
                  row ->
                      "relay '%s' of application '%s'"
                          .formatted(row.getString("name"), row.getString("application")));
    }
    if (!users.isEmpty()) {
      throw new PosthornException(
          ErrorCode.CONFIGURATION,
          "%s: %s is configured for it, and would add it again. Stop that, or deploy it without, then try again."
              .formatted(what, String.join(", ", users)));
    }
  }

  /** A chunk of what is parked; returns how many. */
  private static int giveUp(Database.Tx tx, String destination, By by) throws SQLException {
    List<UUID> parked;
    try (Query query = tx.query(PARKED)) {
      parked =
          query
              .set("destination", destination)
              .set("chunk", CHUNK)
              .rows(row -> row.getObject(1, UUID.class));
    }
    if (!parked.isEmpty()) {
      GivenUp.write(tx, destination, parked, "DEAD", REMOVED);
      String target = "destination " + destination;
      String after = parked.size() + " parked messages are dead letters";
      AuditLog.write(tx, by, "destination.give-up", target, null, after);
    }
    return parked.size();
  }

  /** In words. */
  private static List<String> removeRoutes(Database.Tx tx, Which which) throws SQLException {
    List<String> gone;
    try (Query query = tx.query(REMOVE_ROUTES)) {
      gone = which.set(query).rows(row -> row.getString(1));
    }
    if (!gone.isEmpty()) {
      Registration.changed(tx, List.of(which.destination, RelayStore.UNROUTED));
    }
    return gone;
  }

  private static void audit(
      Database.Tx tx, By by, String action, String destination, List<String> routes)
      throws SQLException {
    String before = "routes of " + String.join(", ", routes.stream().sorted().toList());
    AuditLog.write(
        tx, by, action, "destination " + destination, routes.isEmpty() ? null : before, "removed");
  }
}
