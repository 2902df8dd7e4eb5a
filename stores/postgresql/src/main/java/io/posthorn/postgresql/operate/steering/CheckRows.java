package io.posthorn.postgresql.operate.steering;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.operate.steering.DestinationCheck;
import io.posthorn.core.store.Lane;
import io.posthorn.postgresql.log.SteeredReader;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import io.posthorn.postgresql.sql.Times;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Records for people what relays found when they checked whether they could send. */
public final class CheckRows {
  private static final Sql WRITE =
      Sql.of(
          "note check",
          """
          INSERT INTO posthorn_check (destination, lane, relay, problems, names, texts)
          SELECT l.destination, l.lane, r.name, CAST(:problems AS boolean[]), CAST(:names AS text[]), CAST(:texts AS text[])
            FROM posthorn_lane l
            JOIN posthorn_relay r ON r.id = l.relay
           WHERE l.destination = :destination
             AND l.token = :token
              ON CONFLICT (destination, lane) DO UPDATE
             SET relay = excluded.relay,
                 checked_at = clock_timestamp(),
                 problems = excluded.problems,
                 names = excluded.names,
                 texts = excluded.texts
          """);

  // Of each destination the newest check of a lane that found a problem, if any lane did: the check
  // of one lane must not hide what is wrong for another.
  private static final Sql READ =
      Sql.of(
          "read checks",
          """
          SELECT DISTINCT ON (destination) destination, relay, checked_at, problems, names, texts
            FROM posthorn_check
           ORDER BY destination, true = ANY (problems) DESC, checked_at DESC
          """);

  private final Database database;

  public CheckRows(Database database) {
    this.database = database;
  }

  public int write(Lane lane, List<Finding> findings) {
    return database.transaction(
        "noting the check of lane " + lane,
        tx -> {
          try (Query query = tx.query(WRITE)) {
            return query
                .set("destination", lane.destination())
                .set("token", lane.token())
                .setArray("problems", "bool", findings.stream().map(Finding::problem).toArray())
                .setTexts("names", findings.stream().map(Finding::name).toList())
                .setTexts("texts", findings.stream().map(Finding::text).toList())
                .update();
          }
        });
  }

  public List<DestinationCheck> read() {
    return database.ask("reading checks", READ, query -> query.rows(CheckRows::check));
  }

  private static DestinationCheck check(ResultSet row) throws SQLException {
    Boolean[] problems = (Boolean[]) row.getArray("problems").getArray();
    String[] names = (String[]) row.getArray("names").getArray();
    String[] texts = (String[]) row.getArray("texts").getArray();
    List<Finding> findings = new ArrayList<>();
    for (int i = 0; i < names.length; i++) {
      findings.add(new Finding(problems[i], names[i], texts[i]));
    }
    return new DestinationCheck(
        row.getString("destination"),
        row.getString("relay"),
        Times.instant(row, "checked_at"),
        findings);
  }

  /** Asks relays for a new check: they check again when they learn that steering has changed. */
  public boolean ask(@Nullable String destination) {
    return database.transaction(
        "asking for a check",
        tx -> Pauser.tell(tx, destination == null ? SteeredReader.ALL : destination) > 0);
  }
}
