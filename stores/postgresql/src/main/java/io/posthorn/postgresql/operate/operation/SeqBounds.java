package io.posthorn.postgresql.operate.operation;

import io.posthorn.core.operate.operation.SentQuery;
import io.posthorn.postgresql.operate.story.SeqRange;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/**
 * The range of sequence numbers with the messages of a query: above {@code after}, up to {@code
 * upto}.
 */
record SeqBounds(long after, long upto) {
  static final SeqBounds ALL = new SeqBounds(-1, 0);

  /** How far the order of sequence numbers and the order of time may differ. */
  private static final Duration SLACK = Duration.ofMinutes(1);

  private static final Sql HIGHEST =
      Sql.of(
          "read highest seq",
          """
          SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END
            FROM posthorn_seq
          """);

  private static final Sql OF_IDS =
      Sql.of(
          "find seqs of ids",
          """
          SELECT coalesce(min(seq) - 1, 0) AS after, coalesce(max(seq), 0) AS upto
            FROM posthorn_log
           WHERE id = ANY (:ids)
          """);

  /** Returns the range of a query; messages that are added later are outside. */
  static SeqBounds of(Database database, SentQuery asked) {
    if (!asked.ids().isEmpty()) {
      return database.read(
          "finding messages",
          OF_IDS,
          query ->
              Objects.requireNonNull(
                  query
                      .setUuids("ids", asked.ids())
                      .first(row -> new SeqBounds(row.getLong("after"), row.getLong("upto")))));
    }
    Instant from = asked.from();
    return database.reads(
        "finding the time in the log",
        tx -> {
          long highest = highest(tx);
          SeqRange log = SeqRange.all(tx);
          if (log.isEmpty()) {
            return new SeqBounds(highest, highest);
          }
          long first = from == null ? log.above() + 1 : log.reached(tx, from.minus(SLACK));
          return new SeqBounds(Math.min(first - 1, highest), highest);
        });
  }

  static long highest(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(HIGHEST)) {
      return Objects.requireNonNull(query.first(row -> row.getLong(1)));
    }
  }
}
