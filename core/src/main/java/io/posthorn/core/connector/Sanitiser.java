package io.posthorn.core.connector;

import java.util.regex.Pattern;

/** Removes what must not be kept: credentials in addresses and headers, and row contents. */
final class Sanitiser {
  private static final Pattern USER_INFO = Pattern.compile("(?<=://)[^/@\\s]+@");
  private static final Pattern SECRET =
      Pattern.compile(
          "(?i)\\b(authorization|password|passwd|secret|token|api[-_]?key)(\"?\\s*[:=]\\s*\"?)((?:bearer|basic)\\s+)?[^\\s\",;&]+");
  // PostgreSQL's DETAIL line quotes the row: "Key (email)=(someone@example.org) already exists."
  private static final Pattern ROW_CONTENT = Pattern.compile("(?<=\\)=\\()[^)]*(?=\\))");

  private Sanitiser() {}

  static String clean(String text) {
    // PostgreSQL cannot store the zero character.
    String cleaned = text.replace('\u0000', ' ');
    cleaned = USER_INFO.matcher(cleaned).replaceAll("***@");
    cleaned = SECRET.matcher(cleaned).replaceAll("$1$2***");
    return ROW_CONTENT.matcher(cleaned).replaceAll("***");
  }
}
