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
 * Counts up to 10,000 rows and no more; beyond that, what the planner expects is as good as it gets
 * without reading them all.
 */
final class Counting {
  static final long EXACT = 10_000;

  private static final Pattern ROWS = Pattern.compile("\"Plan Rows\": *(\\d+)");

  private Counting() {}

  /** If so many rows of at most 10,001 were found; the statement is an EXPLAIN of them all. */
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

  /** If at least so many rows were found. */
  static Count estimate(long found, Query query) throws SQLException {
    String plan = query.first(row -> row.getString(1));
    return new Count(Math.max(found, rows(plan)), true);
  }

  private static long rows(@Nullable String plan) {
    Matcher matcher = ROWS.matcher(String.valueOf(plan));
    return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
  }

  /** A part of what was looked at, as a part of them all. */
  static Count part(long part, long looked, Count all) {
    return all.estimated()
        ? new Count(Math.round((double) part * all.number() / looked), true)
        : new Count(part, false);
  }
}
