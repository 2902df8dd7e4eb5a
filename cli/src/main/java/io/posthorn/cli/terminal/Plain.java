package io.posthorn.cli.terminal;

import java.util.regex.Pattern;

/**
 * Removes from a text every character that could control a terminal, because an error, a header or
 * a payload may come from an attacker. These are all control characters, also those above ASCII,
 * and the characters that change the direction of writing.
 */
public final class Plain {
  private static final String INSTEAD = "\uFFFD";
  private static final Pattern STEERS = Pattern.compile("[\\p{Cc}\\p{Cf}\u2028\u2029&&[^\\n\\t]]");
  private static final Pattern ENDS_LINE = Pattern.compile("[\\n\\t\\r\u0085\u2028\u2029]+");

  private Plain() {}

  /** Cleans a text and keeps its line breaks and tabs. */
  public static String text(String text) {
    return STEERS.matcher(text).replaceAll(INSTEAD);
  }

  /** Cleans a text and joins its lines, so that it cannot forge a line of output. */
  public static String line(String text) {
    return text(ENDS_LINE.matcher(text).replaceAll(" "));
  }
}
