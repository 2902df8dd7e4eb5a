package io.posthorn.core.error;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Removes what stands in »…«, «…», „…“ or “…”. English messages of databases and libraries do not
 * have such quotes; in other languages they stand around names and values alike. Only names behind
 * the word for a constraint, a table or a column are kept.
 */
final class TypographicQuotesRule implements Rule {
  /** Words, each with the quoted name behind it. */
  static final String NAMED =
      "(?iu:\\b(?:constraint|relation|table|column|domain|index|for key|tabelle|spalte|colonne|relación"
          + "|tabla|columna|(?:contrainte|restricción)[\\p{L} ]{0,40}+)) ?"
          + "[\"'»«„“]\\h?[\\w$.-]{1,130}+\\h?[\"'»«“”]";

  /** Key columns with a value that another rule has removed. */
  private static final String KEY =
      "[»«„“]\\h?\\([^()»«„“”\\n]{1,200}+\\)=\\(\\*\\*\\*\\)\\h?[»«“”]";

  private static final Pattern QUOTE = Pattern.compile(NAMED + "|" + KEY + "|([»«„“])");

  @Override
  public CharSequence apply(CharSequence text) {
    Matcher quotes = QUOTE.matcher(text);
    StringBuilder kept = new StringBuilder();
    int copied = 0;
    int at = 0;
    while (at <= text.length() && quotes.find(at)) {
      at = quotes.end();
      if (quotes.start(1) >= 0) {
        int end = ValueEnds.section(text, at);
        int closing = lastOf(text, at, end, closings(text.charAt(quotes.start(1))));
        kept.append(text, copied, at).append(REMOVED);
        copied = closing < 0 ? end : closing;
        at = closing < 0 ? end : closing + 1;
      }
    }
    return copied == 0 ? text : kept.append(text, copied, text.length());
  }

  private static String closings(char opening) {
    return switch (opening) {
      case '»' -> "«";
      case '«' -> "»";
      case '„' -> "“”";
      default -> "”";
    };
  }

  /** The last of these characters in a part of the text, or −1. */
  static int lastOf(CharSequence text, int from, int end, String characters) {
    int at = end - 1;
    while (at >= from && characters.indexOf(text.charAt(at)) < 0) {
      at--;
    }
    return at < from ? -1 : at;
  }
}
