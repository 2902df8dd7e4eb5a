package io.posthorn.console.chart;

import io.posthorn.console.text.Words;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * A line without axes, 100 wide and 24 high.
 *
 * @param line the path of the line
 * @param area the path of the area below it
 * @param label the same in words
 */
public record Spark(String line, String area, String label) {
  private static final double WIDE = 100;
  private static final double HIGH = 24;
  private static final double PAD = 2;

  /** A line through these values, from 0 to the largest; a flat line for fewer than two. */
  public static Spark of(String what, List<Double> values) {
    if (values.size() < 2) {
      return new Spark("M0 22H100", "", what + ": no history yet");
    }
    double most = Math.max(Collections.max(values), 1e-9);
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < values.size(); i++) {
      double x = WIDE * i / (values.size() - 1);
      double y = HIGH - PAD - (HIGH - 2 * PAD) * Math.max(0, values.get(i)) / most;
      line.append(i == 0 ? 'M' : 'L').append(point(x)).append(' ').append(point(y));
    }
    String label =
        "%s: from %s to %s, at most %s"
            .formatted(
                what,
                Words.number(Math.round(values.get(0))),
                Words.number(Math.round(values.get(values.size() - 1))),
                Words.number(Math.round(most)));
    return new Spark(line.toString(), line + "L100 24L0 24Z", label);
  }

  private static String point(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }
}
