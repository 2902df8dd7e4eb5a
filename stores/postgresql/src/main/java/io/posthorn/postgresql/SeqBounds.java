package io.posthorn.postgresql;

import io.posthorn.core.operation.SentQuery;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/** Between which seqs the messages are that somebody asks for, the first not included. */
record SeqBounds(long after, long upto) {
  static final SeqBounds ALL = new SeqBounds(-1, 0);

  /** By so much the order of seq and that of time may differ. */
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

  private static final Sql FROM =
      Sql.of(
          "look at a seq",
          """
          SELECT seq, recorded_at
            FROM posthorn_log
           WHERE seq >= :seq
           ORDER BY seq
           LIMIT 1
          """);

  /** What is added later is no part of it. */
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
    long highest = database.reads("reading the sequence", SeqBounds::highest);
    Instant from = asked.from();
    return new SeqBounds(from == null ? 0 : before(database, from.minus(SLACK), highest), highest);
  }

  static long highest(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(HIGHEST)) {
      return Objects.requireNonNull(query.first(row -> row.getLong(1)));
    }
  }

  /** A seq before all that were stored then or later. */
  private static long before(Database database, Instant time, long highest) {
    return database.reads(
        "finding the time in the log",
        tx -> {
          long low = 0;
          long high = highest + 1;
          while (low < high) {
            long middle = low + (high - low) / 2;
            if (isBefore(tx, middle, time)) {
              low = middle + 1;
            } else {
              high = middle;
            }
          }
          return Math.max(0, low - 1);
        });
  }

  /** Whether the first message from this seq on was stored before then. */
  private static boolean isBefore(Database.Tx tx, long seq, Instant time) throws SQLException {
    try (Query query = tx.query(FROM)) {
      Instant at = query.set("seq", seq).first(row -> DeadLetterRow.instant(row, "recorded_at"));
      return at != null && at.isBefore(time);
    }
  }
}
