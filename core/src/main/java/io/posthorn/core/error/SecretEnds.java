package io.posthorn.core.error;

/** Finds where the value of a setting or header ends whose name says that it is a secret. */
final class SecretEnds {
  /** From this length on, a word after "Bearer" is a token if it has digits or an inner capital. */
  private static final int SHORTEST_TOKEN = 6;

  private SecretEnds() {}

  /** The end of the quotes or brackets around the value, or else the next separator. */
  static int value(CharSequence text, int from) {
    int enclosed = enclosed(text, from);
    if (enclosed > from) {
      return enclosed;
    }
    int at = from;
    while (at < text.length()
        && text.charAt(at) > ' '
        && "\"'\\,;&)}]<".indexOf(text.charAt(at)) < 0) {
      at++;
    }
    return at;
  }

  /** The end of the quotes or brackets around the value, or else the end of the line. */
  static int header(CharSequence text, int from) {
    int enclosed = enclosed(text, from);
    return enclosed > from ? enclosed : ValueEnds.line(text, from);
  }

  static int pem(CharSequence text, int from) {
    int at = from;
    while (at < text.length() && !ValueEnds.startsWith(text, at, "-----END ")) {
      at++;
    }
    return at;
  }

  /** The end of the token after "Bearer"; nothing if the next word of a sentence follows. */
  static int token(CharSequence text, int from) {
    boolean mixed = false;
    int at = from;
    for (; at < text.length() && isToken(text.charAt(at)); at++) {
      char c = text.charAt(at);
      mixed |= !Character.isLowerCase(c) && c != '.' && c != '-' && at > from;
    }
    return mixed && at - from >= SHORTEST_TOKEN ? at : BetweenRule.nothing(at);
  }

  private static boolean isToken(char c) {
    return (c < 128 && Character.isLetterOrDigit(c)) || "._~+/=-".indexOf(c) >= 0;
  }

  /** The index behind the closing quote or at the closing bracket; zero if none was opened. */
  private static int enclosed(CharSequence text, int from) {
    if (from > 0 && text.charAt(from - 1) == '[') {
      return upTo(text, from, ']');
    }
    int quote = from;
    while (quote < text.length() && quote < from + 4 && text.charAt(quote) == '\\') {
      quote++;
    }
    if (quote == text.length() || "\"'".indexOf(text.charAt(quote)) < 0) {
      return 0;
    }
    return quote == from ? quoted(text, from) : quotedWithin(text, quote);
  }

  private static int upTo(CharSequence text, int from, char closing) {
    int at = from;
    while (at < text.length() && text.charAt(at) != closing && text.charAt(at) != '\n') {
      at++;
    }
    return at;
  }

  private static int quoted(CharSequence text, int from) {
    int at = from + 1;
    while (at < text.length() && text.charAt(at) != '\n') {
      if (text.charAt(at) == text.charAt(from)) {
        return at + 1;
      }
      at += text.charAt(at) == '\\' ? 2 : 1;
    }
    return Math.min(at, text.length());
  }

  /** The end of a value in JSON that is itself in a JSON string, with escaped quotes. */
  private static int quotedWithin(CharSequence text, int quote) {
    int at = quote + 1;
    while (at < text.length() && text.charAt(at) != '\n') {
      if (text.charAt(at) == text.charAt(quote) && text.charAt(at - 1) == '\\') {
        return at + 1;
      }
      at++;
    }
    return at;
  }
}
