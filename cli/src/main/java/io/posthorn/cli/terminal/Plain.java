package io.posthorn.cli.terminal;

import java.util.regex.Pattern;

/**
 * Text that cannot steer a terminal, whoever wrote it: an error, a header or a payload may come
 * from a stranger. Control characters go, those above ASCII too, and so do those that turn the
 * direction of writing round.
 */
public final class Plain {
  private static final String INSTEAD = "\uFFFD";
  private static final Pattern STEERS = Pattern.compile("[\\p{Cc}\\p{Cf}\u2028\u2029&&[^\\n\\t]]");
  private static final Pattern ENDS_LINE = Pattern.compile("[\\n\\t\\r\u0085\u2028\u2029]+");

  private Plain() {}

  /** Lines stay lines. */
  public static String text(String text) {
    return STEERS.matcher(text).replaceAll(INSTEAD);
  }

  /** One line, so that none can be forged. */
  public static String line(String text) {
    return text(ENDS_LINE.matcher(text).replaceAll(" "));
  }
}
