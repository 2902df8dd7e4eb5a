package io.posthorn.console.overview;

import io.posthorn.console.chart.Spark;
import io.posthorn.console.page.Badge;
import io.posthorn.console.page.Problem;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the first page shows.
 *
 * @param sentence the state of everything, in one sentence
 * @param more what else is worth knowing at once
 * @param deadNumber the dead letters, as a number
 * @param deadCount the same for people; empty if there is none
 */
public record Overview(
    String sentence,
    String more,
    List<Problem> problems,
    List<Figure> figures,
    List<Row> rows,
    long deadNumber,
    String deadCount) {
  /**
   * One figure with its name.
   *
   * @param kind the colour of the hint; may be empty
   */
  public record Figure(
      String label, String value, String unit, String hint, String kind, @Nullable Spark spark) {}

  /**
   * One destination.
   *
   * @param why why it is in this state; null if that goes without saying
   * @param change how fast the number that waits changes
   */
  public record Row(
      String name,
      String href,
      Badge badge,
      @Nullable String why,
      String waiting,
      String oldest,
      String change,
      String dead,
      @Nullable String deadHref,
      String relay,
      Spark spark) {}
}
