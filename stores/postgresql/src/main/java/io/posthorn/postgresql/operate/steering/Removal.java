package io.posthorn.postgresql.operate.steering;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Key;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.figures.Figures.Count;
import io.posthorn.core.operate.steering.Scope;
import io.posthorn.core.store.RelayStore;
import io.posthorn.postgresql.lane.Lanes;
import io.posthorn.postgresql.operate.audit.AuditLog;
import io.posthorn.postgresql.parked.GivenUp;
import io.posthorn.postgresql.parked.ParkedWriter;
import io.posthorn.postgresql.route.Registration;
import io.posthorn.postgresql.route.Unrouted;
import io.posthorn.postgresql.schema.DatabaseIdentity;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Removes destinations and routes, which registration never does.
 *
 * <p>Removal and registration exclude each other, and a relay joins before it registers. So either
 * removal sees the relay and refuses, or the relay registers afterwards and adds again what it
 * needs.
 *
 * <p>Before a route is removed, the unrouted lane passes everything that was committed while the
 * route existed; otherwise it would take those messages for unrouted ones. Messages that are
 * committed later belong to it if no other destination wants them.
 *
 * <p>The progress of a removed destination stays until its leaves are emptied, because it shows
 * when messages were sent.
 */
public final class Removal {
  private static final int CHUNK = GivenUp.CHUNK;

  private static final Reason REMOVED =
      Reason.of("DESTINATION_REMOVED", "its destination was removed before it was sent");

  private static final Reason NO_CODE =
      Reason.of("ROUTE_REMOVED", "its route was removed while it waited for a relay with the code");

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

  // Without their route these messages would wait forever for a relay with the code.
  private static final Sql WITHOUT_CODE =
      Sql.of(
          "find parked without code or route",
          """
          SELECT p.message_id
            FROM posthorn_parked p
           WHERE p.destination = :destination
             AND p.waiting = 'CODE'
             AND NOT EXISTS (SELECT 1
                               FROM posthorn_route t
                              WHERE t.destination = p.destination
                                AND t.type IN (p.type, '*'))
           ORDER BY p.message_id
           LIMIT :limit
          """);

  private static final Sql BACKLOG =
      Sql.of(
          "count what it has not got",
          """
          SELECT pending, estimated
            FROM posthorn_backlog_now
           WHERE destination = :destination
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

  private static final List<Sql> REMOVE_ITS_ROWS =
      List.of(
          Sql.of("remove lanes", "DELETE FROM posthorn_lane WHERE destination = :destination"),
          Sql.of("remove held keys", "DELETE FROM posthorn_held WHERE destination = :destination"),
          Sql.of("remove pauses", "DELETE FROM posthorn_pause WHERE destination = :destination"),
          Sql.of("remove breaker", "DELETE FROM posthorn_breaker WHERE destination = :destination"),
          Sql.of("remove check", "DELETE FROM posthorn_check WHERE destination = :destination"));

  // Runs after its lanes and routes are removed, because they refer to it. A rewind needs the
  // destination, too, so that is checked here.
  private static final Sql REMOVE =
      Sql.of(
          "remove destination",
          """
          DELETE FROM posthorn_destination
           WHERE name = :destination
             AND rewinding IS NULL
          """);

  /** What to remove. No types means all types; no application means all applications. */
  record Which(String destination, Set<String> types, @Nullable String application) {
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

  public Removal(Database database) {
    this.database = database;
  }

  // ---- routes ----

  public int narrow(String destination, Set<String> types, @Nullable String application, Actor by) {
    Which which = new Which(destination, types, application);
    sweep();
    int gone =
        database.transaction(
            "removing routes to '" + destination + "'", tx -> removeRoutes(tx, which, by));
    // Gives up messages even if the routes were removed before, because that call may have been
    // interrupted halfway.
    giveUpAll(destination, WITHOUT_CODE, NO_CODE, by);
    return gone;
  }

  private static int removeRoutes(Database.Tx tx, Which which, Actor by) throws SQLException {
    exclude(tx, which.destination);
    refuseIfUsed(tx, which, "routes to '%s' were not removed".formatted(which.destination), "");
    StrandedByRemoval.refuseIfAny(tx, which);
    List<String> gone = removeRoutes(tx, which);
    if (!gone.isEmpty()) {
      audit(tx, by, "destination.narrow", which.destination, words(gone), "removed");
    }
    return gone.size();
  }

  /** Removes the routes and returns a description of each. */
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

  // ---- destinations ----

  /**
   * Removes a destination and turns its parked messages into dead letters. Many parked messages are
   * handled in short transactions first, until few are left; the destination is paused meanwhile.
   * If the removal is then refused, everything is at rest, and the letters can be requeued and the
   * destination resumed.
   */
  public long remove(String destination, Actor by) {
    sweep();
    long letters = 0;
    if (parked(destination, CHUNK + 1) > CHUNK) {
      database.transaction(
          "checking who uses '" + destination + "'", tx -> refuseIfUsed(tx, destination, 0));
      new Pauser(database).pause(Scope.destination(destination), by);
      letters = giveUpAll(destination, GivenUp.PARKED, REMOVED, by);
    }
    long before = letters;
    return letters
        + database.transaction(
            "removing destination '" + destination + "'",
            tx -> {
              exclude(tx, destination);
              refuseIfUsed(tx, destination, before);
              return remove(tx, destination, by);
            });
  }

  private static long remove(Database.Tx tx, String destination, Actor by) throws SQLException {
    long letters = GivenUp.writeAll(tx, destination, REMOVED);
    String backlog = backlog(tx, destination);
    List<String> routes = removeRoutes(tx, new Which(destination));
    for (Sql sql : REMOVE_ITS_ROWS) {
      try (Query query = tx.query(sql)) {
        query.set("destination", destination).update();
      }
    }
    try (Query query = tx.query(REMOVE)) {
      if (query.set("destination", destination).update() == 0) {
        throw new PosthornException(
            ErrorCode.CONFLICT,
            "destination '%s' was not removed: it no longer exists, or an operation is rewinding it. Run 'posthorn operations list'; if one is rewinding it, wait until it ends, or stop it."
                .formatted(destination));
      }
    }
    String after = "removed; %d parked messages are dead letters".formatted(letters);
    audit(tx, by, "destination.remove", destination, words(routes) + "; " + backlog, after);
    return letters;
  }

  private int parked(String destination, int limit) {
    return database.read(
        "counting what is parked for '" + destination + "'",
        GivenUp.PARKED,
        query ->
            query.set("destination", destination).set("limit", limit).rows(row -> true).size());
  }

  private static String backlog(Database.Tx tx, String destination) throws SQLException {
    try (Query query = tx.query(BACKLOG)) {
      Count count =
          query
              .set("destination", destination)
              .first(row -> new Count(row.getLong("pending"), row.getBoolean("estimated")));
      return (count == null ? "nothing" : count.of("message")) + " of the log not sent to it";
    }
  }

  // ---- both ----

  /** Moves the unrouted lane on while the routes still exist. */
  private void sweep() {
    boolean more = true;
    while (more) {
      more =
          database.transaction(
              "passing messages without a route",
              tx -> {
                long low = Registration.low(tx);
                Lanes.lock(tx, RelayStore.UNROUTED);
                return Unrouted.sweep(tx, low);
              });
    }
  }

  private static void exclude(Database.Tx tx, String destination) throws SQLException {
    long low = Registration.low(tx);
    DatabaseIdentity.exclude(tx);
    Lanes.lock(tx, List.of(RelayStore.UNROUTED, destination));
    boolean more = true;
    while (more) {
      more = Unrouted.sweep(tx, low);
    }
  }

  private static boolean refuseIfUsed(Database.Tx tx, String destination, long letters)
      throws SQLException {
    String what = "destination '%s' was not removed".formatted(destination);
    String done =
        " The destination is now paused, and %,d of its parked messages are dead letters. To keep it, requeue them and resume it; otherwise remove it again later."
            .formatted(letters);
    return refuseIfUsed(tx, new Which(destination), what, letters == 0 ? "" : done);
  }

  private static boolean refuseIfUsed(Database.Tx tx, Which which, String what, String done)
      throws SQLException {
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
    if (users.isEmpty()) {
      return false;
    }
    throw new PosthornException(
        ErrorCode.CONFLICT,
        "%s: %s is configured for it and would register it again. Stop that relay, or deploy it without the destination or route, then try again.%s"
            .formatted(what, String.join(", ", users), done));
  }

  private long giveUpAll(String destination, Sql which, Reason why, Actor by) {
    long all = 0;
    for (int some = CHUNK; some == CHUNK; all += some) {
      some =
          database.transaction(
              "giving up what is parked for '" + destination + "'",
              tx -> {
                Lanes.lock(tx, destination);
                Set<Key> keys = new HashSet<>();
                List<Optional<Key>> gone = GivenUp.writeSome(tx, destination, which, why);
                gone.forEach(key -> key.ifPresent(keys::add));
                ParkedWriter.wake(tx, destination, keys);
                if (!gone.isEmpty()) {
                  String after = gone.size() + " parked messages are dead letters";
                  audit(tx, by, "destination.give-up", destination, null, after);
                }
                return gone.size();
              });
    }
    return all;
  }

  private static String words(List<String> routes) {
    return routes.isEmpty()
        ? "no routes"
        : "routes of " + String.join(", ", routes.stream().sorted().toList());
  }

  private static void audit(
      Database.Tx tx,
      Actor by,
      String action,
      String destination,
      @Nullable String before,
      String after)
      throws SQLException {
    AuditLog.write(tx, by, action, "destination " + destination, before, after);
  }
}
