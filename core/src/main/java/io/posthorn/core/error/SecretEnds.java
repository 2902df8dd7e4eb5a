package io.posthorn.core.error;

/** Where the value of a setting or a header ends that is called password, token and so on. */
final class SecretEnds {
  /** Such a long word after "Bearer" or "Basic" is no word if it has digits or a capital inside. */
  private static final int SHORTEST_TOKEN = 6;

  private SecretEnds() {}

  /** In quotes, in brackets, or up to what parts it from the next. */
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

  /** In quotes, in brackets, or the rest of the line. */
  static int header(CharSequence text, int from) {
    int enclosed = enclosed(text, from);
    return enclosed > from ? enclosed : Ends.line(text, from);
  }

  static int pem(CharSequence text, int from) {
    int at = from;
    while (at < text.length() && !Ends.startsWith(text, at, "-----END ")) {
      at++;
    }
    return at;
  }

  /** What follows the word "Bearer": the token, or the next word of a sentence. */
  static int token(CharSequence text, int from) {
    boolean mixed = false;
    int at = from;
    for (; at < text.length() && isToken(text.charAt(at)); at++) {
      char c = text.charAt(at);
      mixed |= !Character.isLowerCase(c) && c != '.' && c != '-' && at > from;
    }
    return mixed && at - from >= SHORTEST_TOKEN ? at : Span.nothing(at);
  }

  private static boolean isToken(char c) {
    return (c < 128 && Character.isLetterOrDigit(c)) || "._~+/=-".indexOf(c) >= 0;
  }

  /** Behind the quote, or at the bracket, that closes; zero if none opens. */
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

  /** JSON in a JSON string: the quotes themselves are escaped. */
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
