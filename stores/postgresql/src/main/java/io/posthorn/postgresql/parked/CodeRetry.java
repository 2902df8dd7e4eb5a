package io.posthorn.postgresql.parked;

import io.posthorn.core.store.Lane;
import io.posthorn.postgresql.lane.Buckets;
import io.posthorn.postgresql.lane.LaneRow;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;

/** Makes messages that wait for code due, for a relay that may have the code. */
public final class CodeRetry {
  /** Bounds the transaction. The other messages are due within some minutes anyway. */
  private static final int MOST = 1_000;

  // Skips rows that another transaction changes right now: that gives them a new time or removes
  // them.
  private static final Sql RETRY =
      Sql.of(
          "retry for code",
          """
          UPDATE posthorn_parked
             SET next_attempt_at = clock_timestamp()
           WHERE destination = :destination
             AND message_id = ANY (ARRAY (
                   SELECT p.message_id
                     FROM posthorn_parked p
                    WHERE p.destination = :destination
                      AND p.waiting = 'CODE'
                      AND (:everyBucket OR p.bucket BETWEEN :firstBucket AND :lastBucket)
                      AND p.next_attempt_at > statement_timestamp()
                    LIMIT :most
                      FOR NO KEY UPDATE SKIP LOCKED))
          """);

  private final Database database;

  public CodeRetry(Database database) {
    this.database = database;
  }

  public int retry(Lane lane) {
    return database.transaction(
        "retrying messages of lane " + lane + " that wait for code",
        tx -> {
          Buckets buckets = LaneRow.fence(tx, lane);
          try (Query query = tx.query(RETRY)) {
            return buckets
                .set(query)
                .set("destination", lane.destination())
                .set("most", MOST)
                .update();
          }
        });
  }
}
