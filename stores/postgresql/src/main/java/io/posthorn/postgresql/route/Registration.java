package io.posthorn.postgresql.route;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.store.Direction;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.postgresql.lane.LaneRow;
import io.posthorn.postgresql.lane.Lanes;
import io.posthorn.postgresql.lane.Progress;
import io.posthorn.postgresql.lane.Snapshot;
import io.posthorn.postgresql.schema.DatabaseIdentity;
import io.posthorn.postgresql.schema.Preflight;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Registers destinations and routes. It only adds, so starting or rolling back to an old version
 * removes nothing.
 *
 * <p>A route covers the messages that its snapshot does not see. The snapshot is taken while the
 * lanes of the destination and of unrouted are locked. The snapshot sees everything that either
 * lane settled before, and either lane knows the route in everything it settles later. So every
 * message belongs either to the destination or to unrouted, never to both or neither. As long as
 * unrouted may hold messages that the new route wants, the destination waits, because they come
 * first.
 */
public final class Registration {
  private static final Sql KNOWN =
      Sql.of(
          "read own routes",
          """
          SELECT destination, type
            FROM posthorn_route
           WHERE application = :application
          """);

  private static final Sql DIRECTIONS =
      Sql.of(
          "read directions",
          """
          SELECT name, direction
            FROM posthorn_destination
           WHERE name = ANY (:names)
          """);

  private static final Sql ADD_DESTINATION =
      Sql.of(
          "add destination",
          """
          INSERT INTO posthorn_destination (name, direction)
          VALUES (:name, :direction)
              ON CONFLICT DO NOTHING
          """);

  private static final Sql ADD_LANE =
      Sql.of(
          "add lane",
          """
          INSERT INTO posthorn_lane (destination, lane)
          VALUES (:destination, 0)
          """);

  private static final Sql LOW =
      Sql.of(
          "read sequence",
          """
          SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END
            FROM posthorn_seq
          """);

  private static final Sql NOW =
      Sql.of(
          "read snapshot",
          """
          SELECT pg_current_snapshot(), pg_current_xact_id()::text::bigint
          """);

  private static final Sql ADD_ROUTE =
      Sql.of(
          "add route",
          """
          INSERT INTO posthorn_route (application, destination, type, since, since_seq)
          SELECT :application, :destination, :type, pg_current_snapshot(), s.last_value
            FROM posthorn_seq s
              ON CONFLICT DO NOTHING
          """);

  private static final Sql WAIT =
      Sql.of(
          "wait for unrouted",
          """
          UPDATE posthorn_destination
             SET waits_for_unrouted = true
           WHERE name = ANY (:destinations)
          """);

  // All transactions that lock several rows lock them in the order of their names, after the lanes.
  private static final Sql CHANGED =
      Sql.of(
          "mark routes changed",
          """
          UPDATE posthorn_destination
             SET routes_id = gen_random_uuid()
           WHERE name = ANY (ARRAY (
                   SELECT name
                     FROM posthorn_destination
                    WHERE name = ANY (:destinations)
                    ORDER BY name
                      FOR NO KEY UPDATE))
          """);

  private final Database database;

  public Registration(Database database) {
    this.database = database;
  }

  public void register(String application, List<ServedDestination> destinations) {
    List<ServedDestination> late = new ArrayList<>();
    database.transaction(
        "registering the destinations of '" + application + "'",
        tx -> {
          // Read before this transaction has an id: transactions with later ids draw higher
          // numbers.
          long low = low(tx);
          DatabaseIdentity.exclude(tx);
          List<ServedDestination> missing = missing(tx, application, destinations);
          if (!missing.isEmpty()) {
            late.clear();
            late.addAll(add(tx, application, missing, low));
          }
          return missing.size();
        });
    LateRoutes.log(database, late);
  }

  private static List<ServedDestination> missing(
      Database.Tx tx, String application, List<ServedDestination> destinations)
      throws SQLException {
    if (destinations.stream().anyMatch(d -> d.destination().equals(RelayStore.UNROUTED))) {
      throw new PosthornException(
          ErrorCode.CONFIGURATION,
          "the destinations of '%s' were not registered: Posthorn itself uses the name '%s'. Choose another name."
              .formatted(application, RelayStore.UNROUTED));
    }
    record Known(String destination, String type) {}
    Set<Known> known;
    try (Query query = tx.query(KNOWN)) {
      known =
          new HashSet<>(
              query
                  .set("application", application)
                  .rows(row -> new Known(row.getString(1), row.getString(2))));
    }
    Map<String, String> directions = directions(tx, destinations);
    List<ServedDestination> missing = new ArrayList<>();
    for (ServedDestination serving : destinations) {
      Set<String> types = new TreeSet<>(serving.types());
      types.removeIf(type -> known.contains(new Known(serving.destination(), type)));
      if (!types.isEmpty() || !directions.containsKey(serving.destination())) {
        missing.add(
            new ServedDestination(
                serving.destination(), types, serving.start(), serving.direction()));
      }
    }
    // All transactions lock lanes in this order.
    missing.sort(java.util.Comparator.comparing(ServedDestination::destination));
    return missing;
  }

  /**
   * Returns the directions of the destinations that exist. A name that another application sends to
   * cannot be a consumer of this one.
   */
  private static Map<String, String> directions(
      Database.Tx tx, List<ServedDestination> destinations) throws SQLException {
    Map<String, String> directions = new HashMap<>();
    try (Query query = tx.query(DIRECTIONS)) {
      query
          .setTexts("names", destinations.stream().map(ServedDestination::destination).toList())
          .rows(row -> directions.put(row.getString("name"), row.getString("direction")));
    }
    for (ServedDestination serving : destinations) {
      String known = directions.getOrDefault(serving.destination(), serving.direction().name());
      if (!known.equals(serving.direction().name())) {
        throw new PosthornException(
            ErrorCode.CONFIGURATION,
            "'%s' was not registered as %s: %s has this name already. Choose another name."
                .formatted(
                    serving.destination(),
                    serving.direction() == Direction.IN ? "a consumer" : "a destination",
                    serving.direction() == Direction.IN ? "a destination" : "a consumer"));
      }
    }
    return directions;
  }

  /** Returns the destinations that existed before, with their new routes. */
  private static List<ServedDestination> add(
      Database.Tx tx, String application, List<ServedDestination> missing, long low)
      throws SQLException {
    Preflight.refuseCachedSequence(
        tx, "the destinations of '%s' were not registered".formatted(application));
    Lanes.lock(tx, RelayStore.UNROUTED);
    // Refuses a server that the cursor is ahead of: a route there would say nothing about later
    // messages.
    LaneRow unrouted = LaneRow.look(tx, Unrouted.LANE, low);
    List<String> changed = new ArrayList<>(List.of(RelayStore.UNROUTED));
    List<String> wait = new ArrayList<>();
    List<ServedDestination> late = new ArrayList<>();
    for (ServedDestination serving : missing) {
      String destination = serving.destination();
      changed.add(destination);
      try (Query query = tx.query(ADD_DESTINATION)) {
        query.set("name", destination).set("direction", serving.direction().name()).update();
      }
      boolean created = !Lanes.lock(tx, destination);
      Instant time = serving.start().time();
      if (created && time != null) {
        StartInPast past = StartInPast.from(tx, time, low);
        start(tx, destination, past.s1(), past.low1());
        past.addRoutes(tx, application, serving);
      } else {
        if (created) {
          start(tx, destination, now(tx), low);
        } else {
          late.add(serving);
        }
        addRoutes(tx, application, serving);
      }
      if (!serving.types().isEmpty() && HandOver.mayHold(tx, unrouted, serving.types())) {
        wait.add(destination);
      }
    }
    changed(tx, changed);
    if (!wait.isEmpty()) {
      try (Query query = tx.query(WAIT)) {
        query.setTexts("destinations", wait).update();
      }
    }
    return late;
  }

  /** Marks the routes of these destinations as changed, so that relays read them again. */
  public static void changed(Database.Tx tx, List<String> destinations) throws SQLException {
    try (Query query = tx.query(CHANGED)) {
      query.setTexts("destinations", destinations).update();
    }
  }

  private static void addRoutes(Database.Tx tx, String application, ServedDestination serving)
      throws SQLException {
    for (String type : serving.types()) {
      try (Query query = tx.query(ADD_ROUTE)) {
        query
            .set("application", application)
            .set("destination", serving.destination())
            .set("type", type)
            .update();
      }
    }
  }

  private static void start(Database.Tx tx, String destination, Snapshot s1, long low1)
      throws SQLException {
    try (Query query = tx.query(ADD_LANE)) {
      query.set("destination", destination).update();
    }
    Progress.closed(tx, destination, 0, UUID.randomUUID(), s1, low1);
  }

  /** Returns the sequence's value. Call it before the transaction has an id. */
  public static long low(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(LOW)) {
      return Objects.requireNonNull(query.first(row -> row.getLong(1)));
    }
  }

  /** Returns the snapshot that belongs to the earlier {@link #low}. */
  public static Snapshot now(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(NOW)) {
      return Objects.requireNonNull(
          query.first(row -> Snapshot.parse(row.getString(1)).upTo(row.getLong(2))));
    }
  }
}
