package io.posthorn.core.error;

import java.sql.SQLException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Cleans the messages of errors in which a database quotes the values that it refused. Servers and
 * drivers write them in the language of the installation, so rules for texts recognise only some;
 * the SQLSTATE is the same in all languages.
 *
 * <p>Such a message loses everything from its first quote or bracket to its last one. Names behind
 * the word for a constraint, a table or a column are kept, and what another rule has removed
 * already stays as it is.
 */
final class ValueErrors {
  /** Data that is wrong, a constraint that is violated, a row that a view refuses. */
  private static final List<String> CLASSES = List.of("22", "23", "44");

  /** This much of the beginning of a message shows where another text quotes it. */
  private static final int BEGINNING = 40;

  private static final String CLOSINGS = "\"'»«“”’)」』";

  /**
   * Behind these, a value without quotes goes on to the end: a column of the driver, parameters,
   * and the input that an error is about.
   */
  private static final Pattern OPEN =
      Pattern.compile(
          "(?: : |\\$?\\d{1,5}+ = |JSON[^:\\n]{0,30}?\\d{1,9}+[^:\\n]{0,10}+: )(?!\\*\\*\\*)");

  private static final List<String> KEPT =
      List.of(
          TypographicQuotesRule.NAMED,
          "\\bconstraint \\([\\w$.]{1,130}+\\)",
          "[\"'»«„“(]\\h?\\*\\*\\*\\h?[\"'»«“”)]",
          "(?<=\\w)\\(\\d{1,4}+(?:, ?\\d{1,4}+)?\\)",
          "\\(conn=\\d{1,20}+\\)");

  private static final String VALUE = "([\"»«„“(「『‘‚]|(?<![\\p{L}\\p{N}])')";

  private ValueErrors() {}

  /**
   * What is kept; then, as a group, where a value in quotes or brackets begins.
   *
   * @param keptByStores what is kept besides, see {@link SanitiserRules#kept}
   */
  static Pattern values(List<String> keptByStores) {
    return Pattern.compile(
        Stream.of(KEPT, keptByStores, List.of(VALUE))
            .flatMap(List::stream)
            .collect(Collectors.joining("|")));
  }

  /**
   * The cleaned text.
   *
   * @param text made of the failure: its message, or its description
   */
  static String clean(Throwable thrown, String text) {
    int from = begin(thrown, text);
    return from < 0
        ? Sanitiser.clean(text)
        : Sanitiser.clean(text.substring(0, from))
            + withoutValues(Sanitiser.clean(text.substring(from)));
  }

  /** Where the first message that quotes values begins in this text; −1 if none does. */
  private static int begin(Throwable thrown, String text) {
    if (thrown instanceof PosthornException) {
      // Its text was cleaned when it was made.
      return -1;
    }
    int first = -1;
    for (Throwable cause : Causes.of(thrown)) {
      String message = cause instanceof SQLException error ? message(error) : null;
      if (message != null) {
        int at = cause == thrown ? 0 : text.indexOf(beginning(message));
        first = at >= 0 && (first < 0 || at < first) ? at : first;
      }
    }
    return first;
  }

  private static String beginning(String message) {
    return message.substring(0, Math.min(BEGINNING, message.length()));
  }

  /** The message if it may quote values. */
  private static @Nullable String message(SQLException error) {
    try {
      String state = String.valueOf(error.getSQLState());
      String message = error.getMessage();
      return CLASSES.stream().anyMatch(state::startsWith) && message != null && !message.isEmpty()
          ? message
          : null;
    } catch (RuntimeException | Error e) {
      return null;
    }
  }

  private static String withoutValues(String text) {
    Matcher open = OPEN.matcher(text);
    return open.find()
        ? withoutQuoted(text.substring(0, open.end())) + Rule.REMOVED
        : withoutQuoted(text);
  }

  private static String withoutQuoted(String text) {
    Matcher values = ActiveRules.values().matcher(text);
    while (values.find()) {
      if (values.start(1) >= 0) {
        int from = values.end();
        int closing = TypographicQuotesRule.lastOf(text, from, text.length(), CLOSINGS);
        return text.substring(0, from)
            + Rule.REMOVED
            + (closing < 0 ? "" : text.substring(closing));
      }
    }
    return text;
  }
}
