package io.posthorn.postgresql.operate.figures;

import io.posthorn.core.operate.figures.Figures.Count;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Counts up to 10,000 rows exactly. Above that it takes the planner's estimate, the best number
 * that does not need all rows to be read.
 */
final class CappedCount {
  static final long EXACT = 10_000;

  private static final Pattern ROWS = Pattern.compile("\"Plan Rows\": *(\\d+)");

  private CappedCount() {}

  /**
   * Returns the exact count if it is at most 10,000, else an estimate.
   *
   * @param found the number of rows found by a statement that stops at 10,001
   * @param explain an EXPLAIN of a statement that reads all rows
   */
  static Count of(Database.Tx tx, long found, Sql explain, String parameter, String value)
      throws SQLException {
    if (found <= EXACT) {
      return new Count(found, false);
    }
    try (Query query = tx.query(explain)) {
      return estimate(found, query.set(parameter, value));
    }
  }

  static Count of(Database.Tx tx, long found, Sql explain) throws SQLException {
    if (found <= EXACT) {
      return new Count(found, false);
    }
    try (Query query = tx.query(explain)) {
      return estimate(found, query);
    }
  }

  /** Estimates a number of rows that is at least {@code found}. */
  static Count estimate(long found, Query query) throws SQLException {
    String plan = query.first(row -> row.getString(1));
    return new Count(Math.max(found, rows(plan)), true);
  }

  private static long rows(@Nullable String plan) {
    Matcher matcher = ROWS.matcher(String.valueOf(plan));
    return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
  }

  /** Extrapolates a part of the rows read to all rows. */
  static Count part(long part, long looked, Count all) {
    return all.estimated()
        ? new Count(Math.round((double) part * all.number() / looked), true)
        : new Count(part, false);
  }
}
