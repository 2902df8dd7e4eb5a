package io.posthorn.cli.terminal;

import java.util.List;

/** A small graph in rows of blocks; the newest value is at the right. */
public final class Sparkline {
  private static final String LEVELS = " ▁▂▃▄▅▆▇█";
  private static final int STEPS = LEVELS.length() - 1;

  private Sparkline() {}

  /**
   * Draws the newest values.
   *
   * @param top the row of the highest blocks
   */
  public static void draw(
      Canvas canvas, int top, int height, int column, int width, List<Long> values) {
    List<Long> shown = values.subList(Math.max(0, values.size() - width), values.size());
    long highest = Math.max(1, shown.stream().mapToLong(Long::longValue).max().orElse(1));
    int first = column + width - shown.size();
    for (int i = 0; i < shown.size(); i++) {
      // Zero is drawn as a thin line, not as a gap.
      long steps = Math.max(1, Math.round((double) shown.get(i) * height * STEPS / highest));
      for (int row = 0; row < height; row++) {
        long here = Math.max(0, Math.min(STEPS, steps - (long) row * STEPS));
        canvas.put(
            top + height - 1 - row,
            first + i,
            String.valueOf(LEVELS.charAt((int) here)),
            Style.CYAN);
      }
    }
  }
}
