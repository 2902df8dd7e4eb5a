package io.posthorn.postgresql.operate.story;

import io.posthorn.core.operate.story.MessageQuery;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A part of the log by sequence numbers. Messages are recorded almost in the order of their
 * numbers, so a binary search finds where a time begins, with about twenty look-ups among millions
 * of messages.
 *
 * @param above exclusive
 * @param upto inclusive
 */
public record SeqRange(long above, long upto) {
  /** How much later a message may be recorded than one with a higher number. */
  private static final Duration MOMENT = Duration.ofSeconds(5);

  private static final Sql ENDS =
      Sql.of(
          "find ends of the log",
          """
          SELECT coalesce((SELECT seq FROM posthorn_log ORDER BY seq LIMIT 1), 1) AS first,
                 coalesce((SELECT seq FROM posthorn_log ORDER BY seq DESC LIMIT 1), 0) AS last
          """);

  // This is one statement, which is planned once.
  private static final Sql REACHED =
      Sql.of(
          "find time in the log",
          """
          WITH RECURSIVE halving AS (
            SELECT CAST(:low AS bigint) AS low, CAST(:high AS bigint) AS high
            UNION ALL
            SELECT CASE WHEN coalesce(looked.reached, true) THEN h.low ELSE looked.seq + 1 END,
                   CASE WHEN coalesce(looked.reached, true) THEN (h.low + h.high) / 2 ELSE h.high END
              FROM halving h
              LEFT JOIN LATERAL
                   (SELECT seq, recorded_at >= CAST(:time AS timestamptz) AS reached
                      FROM posthorn_log
                     WHERE seq >= (h.low + h.high) / 2
                     ORDER BY seq
                     LIMIT 1) looked ON true
             WHERE h.low < h.high
          )
          SELECT high
            FROM halving
           WHERE low >= high
          """);

  /** Returns the range from the first existing message to the last. */
  public static SeqRange all(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(ENDS)) {
      return Objects.requireNonNull(
          query.first(row -> new SeqRange(row.getLong("first") - 1, row.getLong("last"))));
    }
  }

  /** Returns the range that covers the times of a query. */
  static SeqRange of(Database.Tx tx, MessageQuery asked) throws SQLException {
    SeqRange all = all(tx);
    Instant from = asked.from();
    Instant to = asked.to();
    return new SeqRange(
        from == null ? all.above : all.reached(tx, from.minus(MOMENT)) - 1,
        to == null ? all.upto : Math.min(all.upto, all.reached(tx, to.plus(MOMENT))));
  }

  /**
   * Returns the first number in this range that was recorded at this time or later, or the number
   * after the range.
   */
  public long reached(Database.Tx tx, Instant time) throws SQLException {
    try (Query query = tx.query(REACHED)) {
      return Objects.requireNonNull(
          query
              .set("low", above + 1)
              .set("high", upto + 1)
              .set("time", time.toString())
              .first(row -> row.getLong(1)));
    }
  }

  public boolean isEmpty() {
    return above >= upto;
  }

  /** Returns the rest of the range after this number, in this direction. */
  SeqRange after(@Nullable Long seq, boolean down) {
    if (seq == null) {
      return this;
    }
    return down
        ? new SeqRange(above, Math.min(upto, seq - 1))
        : new SeqRange(Math.max(above, seq), upto);
  }

  /** Returns this many numbers, from the end where reading begins. */
  SeqRange first(long numbers, boolean down) {
    return down
        ? new SeqRange(Math.max(above, upto - numbers), upto)
        : new SeqRange(above, Math.min(upto, above + numbers));
  }

  SeqRange without(SeqRange first, boolean down) {
    return down ? new SeqRange(above, first.above) : new SeqRange(first.upto, upto);
  }

  /** Returns the number just before the range, in this direction. */
  long place(boolean down) {
    return down ? upto + 1 : above;
  }
}
