package io.posthorn.core.error;

/** Finds where the secrets of an address end: user and password, query, keys in the path. */
final class AddressEnds {
  /**
   * The most characters that are searched for the end of a password with a slash in it, and for the
   * scheme of a path.
   */
  private static final int FAR = 300;

  /** A shorter part of a path is taken for a name. */
  private static final int SHORTEST_KEY = 20;

  private AddressEnds() {}

  static boolean isOver(CharSequence text, int at) {
    return at >= text.length() || text.charAt(at) <= ' ' || "\"'<>".indexOf(text.charAt(at)) >= 0;
  }

  static int query(CharSequence text, int from) {
    int at = from;
    while (!isOver(text, at)) {
      at++;
    }
    return at;
  }

  /** The last @, which is before the host: a password may contain an @, or a slash. */
  static int login(CharSequence text, int from) {
    int last = -1;
    boolean password = false;
    int at = from;
    for (; !isOver(text, at) && text.charAt(at) != '/'; at++) {
      last = text.charAt(at) == '@' ? at : last;
      password |= text.charAt(at) == ':' && !isPort(text, at + 1);
    }
    if (last < 0 && password && text.charAt(from) != '[') {
      for (int far = at; far < at + FAR && !isOver(text, far); far++) {
        last = text.charAt(far) == '@' ? far : last;
      }
    }
    return last < 0 ? BetweenRule.nothing(at) : last;
  }

  private static boolean isPort(CharSequence text, int at) {
    return isOver(text, at) || "0123456789/{".indexOf(text.charAt(at)) >= 0;
  }

  static int oracleLogin(CharSequence text, int from) {
    int at = from;
    while (text.charAt(at) != '@') {
      at++;
    }
    return at;
  }

  /** The end of a part that is long and has digits and letters of both cases, as no name has. */
  static int key(CharSequence text, int from) {
    int at = from;
    boolean upper = false;
    boolean lower = false;
    boolean digit = false;
    for (; at < text.length() && isKey(text.charAt(at)); at++) {
      upper |= Character.isUpperCase(text.charAt(at));
      lower |= Character.isLowerCase(text.charAt(at));
      digit |= Character.isDigit(text.charAt(at));
    }
    boolean key = at - from >= SHORTEST_KEY && upper && lower && digit;
    return key && isAddress(text, from) ? at : BetweenRule.nothing(at);
  }

  private static boolean isKey(char c) {
    return (c < 128 && Character.isLetterOrDigit(c)) || "_-:%".indexOf(c) >= 0;
  }

  private static boolean isAddress(CharSequence text, int from) {
    for (int at = from - 1; at >= 0 && at > from - FAR && !isOver(text, at); at--) {
      if (ValueEnds.startsWith(text, at, "://")) {
        return true;
      }
    }
    return false;
  }
}
