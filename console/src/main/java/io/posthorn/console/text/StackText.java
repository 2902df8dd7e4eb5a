package io.posthorn.console.text;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A stack trace with the frames of libraries folded.
 *
 * @param hidden how many frames are folded
 * @param whole all of it
 */
public record StackText(List<Line> lines, int hidden, String whole) {
  private static final Pattern FRAME = Pattern.compile("\\s*at .*");
  private static final Pattern LIBRARY =
      Pattern.compile(
          "\\s*at (?:[\\w.]+/)?(?:java|javax|jakarta|jdk|sun|com\\.sun|kotlin|scala|org\\.springframework|org\\.apache|org\\.hibernate|org\\.postgresql|org\\.eclipse|com\\.zaxxer|com\\.fasterxml|tools\\.jackson|io\\.netty|io\\.micrometer|io\\.quarkus|io\\.vertx|reactor|okhttp3|io\\.posthorn\\.core)\\..*");

  /**
   * One line.
   *
   * @param own whether it is a frame of the application
   */
  public record Line(String text, boolean own) {}

  /** Folds a stack trace. */
  public static StackText of(String stack) {
    List<Line> lines = new ArrayList<>();
    int hidden = 0;
    int run = 0;
    for (String line : stack.lines().toList()) {
      if (LIBRARY.matcher(line).matches()) {
        run++;
        continue;
      }
      hidden += fold(run, lines);
      run = 0;
      lines.add(new Line(Visible.line(line), FRAME.matcher(line).matches()));
    }
    hidden += fold(run, lines);
    return new StackText(lines, hidden, Visible.block(stack));
  }

  private static int fold(int run, List<Line> lines) {
    if (run > 0) {
      lines.add(
          new Line("    … " + Words.of(run, "frame of libraries", "frames of libraries"), false));
    }
    return run;
  }
}
