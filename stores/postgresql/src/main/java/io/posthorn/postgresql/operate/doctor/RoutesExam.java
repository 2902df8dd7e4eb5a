package io.posthorn.postgresql.operate.doctor;

import io.posthorn.core.message.SimilarTypes;
import io.posthorn.core.operate.doctor.Diagnosis;
import io.posthorn.core.operate.figures.Figures.Count;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.postgresql.schema.DoctorCheck;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Checks that every type has a route, and a relay with the code for it. */
final class RoutesExam {
  private static final Sql NO_ROUTES =
      Sql.of(
          "find destinations without routes",
          """
          SELECT d.name
            FROM posthorn_destination d
           WHERE d.direction = 'OUT'
             AND d.name <> 'unrouted'
             AND NOT EXISTS (SELECT 1 FROM posthorn_route t WHERE t.destination = d.name)
           ORDER BY d.name
          """);

  // Destinations without any live relay are left out: NOT_SERVED reports them. A route of an older
  // version stays registered; only the connector knows whether a relay can still send its messages.
  private static final Sql NOT_SERVED =
      Sql.of(
          "find types without code",
          """
          SELECT DISTINCT t.destination, t.type
            FROM posthorn_route t
            JOIN posthorn_relay_serves s ON s.destination = t.destination
            JOIN posthorn_relay r ON r.id = s.relay AND r.expires_at > clock_timestamp()
           WHERE NOT EXISTS (SELECT 1
                               FROM posthorn_relay_serves o
                               JOIN posthorn_relay q ON q.id = o.relay AND q.expires_at > clock_timestamp()
                              WHERE o.destination = t.destination
                                AND o.types && ARRAY[t.type, '*'])
           ORDER BY t.destination, t.type
           LIMIT 20
          """);

  // Reads only the first 10,000 parked messages of each destination, as all figures do.
  private static final Sql WAITING =
      Sql.of(
          "find types that wait",
          """
          SELECT d.name AS destination, p.type, p.waiting, count(*) AS messages
            FROM posthorn_destination d
           CROSS JOIN LATERAL
                 (SELECT p.type, p.waiting
                    FROM posthorn_parked p
                   WHERE p.destination = d.name
                   LIMIT 10000) p
           WHERE p.waiting IN ('CODE', 'ROUTE')
           GROUP BY d.name, p.type, p.waiting
           ORDER BY d.name, p.type
           LIMIT 20
          """);

  private static final Sql ROUTES =
      Sql.of(
          "list routes",
          """
          SELECT DISTINCT t.destination, t.type
            FROM posthorn_route t
           ORDER BY t.destination, t.type
           LIMIT 1000
          """);

  // Reads only the newest messages: no index finds a type.
  private static final Sql ADDED =
      Sql.of(
          "list types of the newest messages",
          """
          SELECT DISTINCT n.type
            FROM (SELECT type
                    FROM posthorn_log
                   ORDER BY seq DESC
                   LIMIT 10000) n
          """);

  private RoutesExam() {}

  static List<Diagnosis> look(Database.Tx tx) throws SQLException {
    List<Diagnosis> found = new ArrayList<>();
    try (Query query = tx.query(NO_ROUTES)) {
      found.addAll(
          query.rows(
              row ->
                  DoctorCheck.NO_ROUTES.note(
                      "no route leads to destination '%s'".formatted(row.getString("name")))));
    }
    List<Diagnosis> types = new ArrayList<>();
    try (Query query = tx.query(NOT_SERVED)) {
      types.addAll(
          query.rows(
              row ->
                  DoctorCheck.TYPE_NOT_SERVED.note(
                      "type '%s' is routed to '%s', but no live relay there is configured for it"
                          .formatted(row.getString("type"), row.getString("destination")))));
    }
    try (Query query = tx.query(WAITING)) {
      types.addAll(
          query.rows(
              row ->
                  row.getString("waiting").equals("ROUTE")
                      ? DoctorCheck.TYPE_WITHOUT_ROUTE.warning(
                          "%s of type '%s' must wait for a route"
                              .formatted(messages(row), row.getString("type")))
                      : DoctorCheck.TYPE_NOT_SERVED.warning(
                          "%s of type '%s' for '%s' must wait for a relay with the code"
                              .formatted(
                                  messages(row),
                                  row.getString("type"),
                                  row.getString("destination")))));
    }
    found.addAll(
        TransactionsExam.orElse(
            types,
            DoctorCheck.TYPE_NOT_SERVED.ok(
                "no message waits for a route or for a relay with the code")));
    found.addAll(
        TransactionsExam.orElse(
            neverAdded(tx),
            DoctorCheck.TYPE_NEVER_ADDED.ok(
                "the newest messages have every type that a route names")));
    return found;
  }

  private static List<Diagnosis> neverAdded(Database.Tx tx) throws SQLException {
    Map<String, Set<String>> routes = new TreeMap<>();
    try (Query query = tx.query(ROUTES)) {
      query.rows(
          row ->
              routes
                  .computeIfAbsent(row.getString("destination"), name -> new TreeSet<>())
                  .add(row.getString("type")));
    }
    Set<String> added = new TreeSet<>();
    try (Query query = tx.query(ADDED)) {
      added.addAll(query.rows(row -> row.getString("type")));
    }
    List<Diagnosis> found = new ArrayList<>();
    if (!added.isEmpty()) {
      routes.forEach((destination, types) -> compare(destination, types, added, found));
    }
    return found;
  }

  private static void compare(
      String destination, Set<String> types, Set<String> added, List<Diagnosis> found) {
    // What the destination gets anyway is not what a misspelt type means.
    Set<String> others = new TreeSet<>(added);
    others.removeAll(types);
    for (String type : types) {
      if (added.contains(type) || type.equals(ServedDestination.ALL_TYPES)) {
        continue;
      }
      String what =
          "type '%s' is routed to '%s', but none of the newest messages has it"
              .formatted(type, destination);
      Optional<String> close =
          types.contains(ServedDestination.ALL_TYPES)
              ? Optional.empty()
              : SimilarTypes.closest(type, others);
      found.add(
          close
              .map(
                  other ->
                      DoctorCheck.TYPE_NEVER_ADDED.warning(
                          "%s; '%s' is added, and is not routed there".formatted(what, other)))
              .orElseGet(() -> DoctorCheck.TYPE_NEVER_ADDED.note(what)));
    }
  }

  private static String messages(ResultSet row) throws SQLException {
    return Count.exactly(row.getLong("messages")).of("message");
  }
}
