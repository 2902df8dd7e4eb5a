package io.posthorn.postgresql.operate.deadletter;

import io.posthorn.core.operate.deadletter.DeadLetterFigures;
import io.posthorn.postgresql.sql.Times;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Adds up counts of dead letters. */
final class DeadLetterTally {
  private final Map<String, Long> byReason = new TreeMap<>();
  private final Map<String, Long> byType = new TreeMap<>();
  private final SortedMap<LocalDate, Long> perDay = new TreeMap<>();
  private final int days;
  private long waiting;
  private @Nullable Instant oldest;

  /**
   * @param days how many whole days to show before today
   */
  DeadLetterTally(int days) {
    this.days = days;
  }

  void add(ResultSet row) throws SQLException {
    long letters = row.getLong("letters");
    int day = row.getInt("day");
    if (day >= row.getInt("today") - days) {
      perDay.merge(LocalDate.ofEpochDay(day), letters, Long::sum);
    }
    if (row.getString("state").equals("DEAD")) {
      Instant first = Times.instant(row, "oldest");
      waiting += letters;
      oldest = oldest == null || first.isBefore(oldest) ? first : oldest;
      byReason.merge(row.getString("last_reason"), letters, Long::sum);
      byType.merge(row.getString("type"), letters, Long::sum);
    }
  }

  DeadLetterFigures figures(long requeued, long requeuedSent, long requeuedDead) {
    return new DeadLetterFigures(
        waiting,
        oldest,
        mostFirst(byReason),
        mostFirst(byType),
        perDay,
        requeued,
        requeuedSent,
        requeuedDead);
  }

  private static Map<String, Long> mostFirst(Map<String, Long> counts) {
    Map<String, Long> ranking = new LinkedHashMap<>();
    counts.entrySet().stream()
        .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
        .forEach(entry -> ranking.put(entry.getKey(), entry.getValue()));
    return ranking;
  }
}
