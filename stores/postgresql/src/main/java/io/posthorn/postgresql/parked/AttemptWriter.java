package io.posthorn.postgresql.parked;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.store.Delivery;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Collects attempts and writes them in one statement. */
final class AttemptWriter {
  private static final Sql WRITE =
      Sql.of(
          "write attempts",
          """
          INSERT INTO posthorn_attempt (destination, message_id, attempt, outcome, reason, error)
          SELECT :destination, m.id, m.attempt, m.outcome, m.reason, m.error
            FROM unnest(CAST(:ids AS uuid[]), CAST(:attempts AS int[]), CAST(:outcomes AS text[]),
                        CAST(:reasons AS text[]), CAST(:errors AS text[]))
                   AS m (id, attempt, outcome, reason, error)
              ON CONFLICT DO NOTHING
          """);

  private final Database.Tx tx;
  private final String destination;
  private final List<UUID> ids = new ArrayList<>();
  private final List<Integer> numbers = new ArrayList<>();
  private final List<String> outcomes = new ArrayList<>();
  private final List<@Nullable String> reasons = new ArrayList<>();
  private final List<@Nullable String> errors = new ArrayList<>();

  AttemptWriter(Database.Tx tx, String destination) {
    this.tx = tx;
    this.destination = destination;
  }

  void add(Delivery delivery, int attempt, String outcome, @Nullable Reason reason) {
    ids.add(delivery.message().id());
    numbers.add(attempt);
    outcomes.add(outcome);
    reasons.add(reason == null ? null : reason.code());
    errors.add(reason == null ? null : reason.text());
  }

  void write() throws SQLException {
    if (ids.isEmpty()) {
      return;
    }
    try (Query query = tx.query(WRITE)) {
      query
          .set("destination", destination)
          .setUuids("ids", ids)
          .setArray("attempts", "int4", numbers.toArray())
          .setTexts("outcomes", outcomes)
          .setTexts("reasons", reasons)
          .setTexts("errors", errors)
          .update();
    }
  }
}
