package io.posthorn.api.mask;

import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Removes from texts of errors what may come from a payload: quoted values, numbers, addresses. */
final class ErrorTexts {
  private static final Pattern QUOTED = Pattern.compile("'[^']*'|\"[^\"]*\"|`[^`]*`");
  private static final Pattern IN_BRACES =
      Pattern.compile("\\{[^{}]*}|\\[[^\\[\\]]*]|\\([^()]*=[^()]*\\)");
  private static final Pattern EMAIL = Pattern.compile("[\\w.+-]+@[\\w.-]+");
  private static final Pattern LONG_NUMBER = Pattern.compile("\\b\\d[\\d .,:/-]{3,}\\d\\b|\\d{4,}");

  private ErrorTexts() {}

  private static final Pattern CLASS = Pattern.compile("[\\w.$]+(?:Exception|Error)\\b");

  /** Only what cannot come from a payload: the class of an exception at the beginning. */
  static String strictly(String text) {
    var found = CLASS.matcher(text);
    return found.lookingAt() ? found.group() + ": " + Masking.HIDDEN : Masking.HIDDEN;
  }

  /** The text without what looks like a value. */
  static String withoutValues(String text) {
    String left = EMAIL.matcher(text).replaceAll(Masking.HIDDEN);
    left = QUOTED.matcher(left).replaceAll(Masking.HIDDEN);
    left = IN_BRACES.matcher(left).replaceAll(Masking.HIDDEN);
    return LONG_NUMBER.matcher(left).replaceAll(Masking.HIDDEN);
  }

  /** The stack trace without the messages of its exceptions: their classes, and the frames. */
  static String withoutMessages(String stack) {
    return stack
        .lines()
        .map(ErrorTexts::line)
        .filter(line -> !line.isBlank())
        .collect(Collectors.joining("\n"));
  }

  private static final Pattern FRAME =
      Pattern.compile("\\s*(at [\\w.$/<>@-]+\\([^()]*\\)|\\.\\.\\. \\d+ more)");
  private static final Pattern THROWN =
      Pattern.compile(
          "(\\s*(?:Caused by: |Suppressed: )?[\\w.$]+(?:Exception|Error|Throwable)\\b)(.*)");

  private static String line(String line) {
    if (FRAME.matcher(line).matches()) {
      return line;
    }
    var thrown = THROWN.matcher(line);
    if (thrown.matches()) {
      return thrown.group(1) + (thrown.group(2).isBlank() ? "" : ": " + Masking.HIDDEN);
    }
    // The rest of a message with several lines.
    return "";
  }
}
