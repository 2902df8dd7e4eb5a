package io.posthorn.postgresql.route;

import io.posthorn.core.error.PosthornException;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says what a route that was added to an existing destination has missed, and how to catch up: the
 * route covers only later messages, for example after a typo in a type was corrected.
 */
final class LateRoutes {
  private static final Logger LOG = LoggerFactory.getLogger(LateRoutes.class);

  // Looks at the newest messages only: no index finds a type, and the log may be large.
  private static final Sql EARLIER =
      Sql.of(
          "count earlier messages of a type",
          """
          SELECT count(*) AS messages, min(n.recorded_at) AS first
            FROM (SELECT type, recorded_at
                    FROM posthorn_log
                   ORDER BY seq DESC
                   LIMIT 10000) n
           WHERE n.type = :type
          """);

  private static final String OFFER =
      "Destination '%s' gets messages of type '%s' from now on. At least %,d earlier ones were not for it: 'posthorn destinations rewind %s --to %s --why TEXT' sends everything of its routes since then, also what it has got before";

  private LateRoutes() {}

  /** Logs an offer for each type; a failure only loses the offer. */
  static void log(Database database, List<ServedDestination> late) {
    try {
      offers(database, late).forEach(LOG::info);
    } catch (PosthornException e) {
      LOG.debug("It is unknown what the new routes have missed: {}", e.getMessage());
    }
  }

  static List<String> offers(Database database, List<ServedDestination> late) {
    if (late.isEmpty()) {
      return List.of();
    }
    return database.asks(
        "looking for messages before new routes",
        tx -> {
          List<String> offers = new ArrayList<>();
          for (ServedDestination destination : late) {
            for (String type : new TreeSet<>(destination.types())) {
              offer(tx, destination.destination(), type, offers);
            }
          }
          return offers;
        });
  }

  private static void offer(Database.Tx tx, String destination, String type, List<String> offers)
      throws SQLException {
    try (Query query = tx.query(EARLIER)) {
      query
          .set("type", type)
          .rows(
              row -> {
                Timestamp first = row.getTimestamp("first");
                return first == null
                    ? ""
                    : OFFER.formatted(
                        destination, type, row.getLong("messages"), destination, first.toInstant());
              })
          .stream()
          .filter(offer -> !offer.isEmpty())
          .forEach(offers::add);
    }
  }
}
