package io.posthorn.postgresql.operate.operation;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.operate.operation.Action;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.postgresql.lane.Lanes;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.util.UUID;

/**
 * Marks destinations that are being rewound. While their messages are parked again, relays read
 * nothing new for them, because it would go before older messages of its key.
 */
final class Rewinding {
  private static final Sql BEGIN =
      Sql.of(
          "begin to rewind",
          """
          UPDATE posthorn_destination
             SET rewinding = :operation
           WHERE name = :destination
             AND rewinding IS NULL
          """);

  private static final Sql END =
      Sql.of(
          "end rewinding",
          """
          UPDATE posthorn_destination
             SET rewinding = NULL
           WHERE rewinding = :operation
          """);

  private static final Sql CLOSED =
      Sql.of(
          "look whether a window is open",
          """
          SELECT NOT any_open AS closed
            FROM posthorn_places(:destination)
          """);

  private Rewinding() {}

  static void begin(Database.Tx tx, UUID operation, Plan plan) throws SQLException {
    if (plan.action() != Action.REWIND) {
      return;
    }
    String destination = plan.messages().destination();
    // A claim that has read that nothing is being rewound may not have stored its window yet. After
    // this, each such window is stored, and every later claim reads that a rewind has begun.
    Lanes.lock(tx, destination);
    try (Query query = tx.query(BEGIN)) {
      int begun = query.set("operation", operation).set("destination", destination).update();
      if (begun == 0) {
        throw new PosthornException(
            ErrorCode.CONFLICT,
            "'%s' was not rewound: another operation is rewinding it. Wait until that one ends, or stop it first ('posthorn operations list')."
                .formatted(destination));
      }
    }
  }

  static void end(Database.Tx tx, UUID operation) throws SQLException {
    try (Query query = tx.query(END)) {
      query.set("operation", operation).update();
    }
  }

  /**
   * Returns whether no lane has an open window: messages that were claimed before the rewind must
   * arrive first.
   */
  static boolean mayBegin(Database.Tx tx, String destination) throws SQLException {
    try (Query query = tx.query(CLOSED)) {
      return Boolean.TRUE.equals(
          query.set("destination", destination).first(row -> row.getBoolean("closed")));
    }
  }
}
