package io.posthorn.console.chart;

import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A number per day as bars, with the same days as a table.
 *
 * @param most the largest number
 * @param total the sum
 */
public record Bars(List<Bar> bars, long most, long total) {
  private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("d MMM", Locale.ENGLISH);

  /**
   * One day.
   *
   * @param y where the bar begins, of a height of 100
   * @param named whether its name stands below it
   */
  public record Bar(String day, long number, int x, double y, double height, boolean named) {}

  /** The last days, today included. */
  public static Bars of(Map<LocalDate, Long> perDay, int days) {
    LocalDate today = LocalDate.now(ZoneOffset.UTC);
    long most = 1;
    long total = 0;
    for (int back = 0; back < days; back++) {
      long number = perDay.getOrDefault(today.minusDays(back), 0L);
      most = Math.max(most, number);
      total += number;
    }
    List<Bar> bars = new ArrayList<>();
    for (int i = 0; i < days; i++) {
      LocalDate day = today.minusDays(days - 1L - i);
      long number = perDay.getOrDefault(day, 0L);
      double height = number == 0 ? 2 : Math.max(5, 100.0 * number / most);
      boolean named = i == 0 || i == days - 1 || i == days / 2;
      bars.add(new Bar(DAY.format(day), number, i, 100 - height, height, named));
    }
    return new Bars(bars, most, total);
  }

  /** How many days there are. */
  public int days() {
    return bars.size();
  }
}
