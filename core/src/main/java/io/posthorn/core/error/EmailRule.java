package io.posthorn.core.error;

/** Removes e-mail addresses: anna@example.org. */
final class EmailRule implements Rule {
  private static final int LONGEST_NAME = 64;
  private static final int LONGEST_HOST = 255;

  @Override
  public CharSequence apply(CharSequence text) {
    StringBuilder kept = new StringBuilder();
    int copied = 0;
    for (int at = 0; at < text.length(); at++) {
      if (text.charAt(at) == '@') {
        int start = start(text, at, copied);
        int end = end(text, at + 1);
        if (start < at && end > at) {
          kept.append(text, copied, start).append(REMOVED);
          copied = end;
          at = end - 1;
        }
      }
    }
    return copied == 0 ? text : kept.append(text, copied, text.length());
  }

  private static int start(CharSequence text, int at, int least) {
    int start = at;
    while (start > least && at - start < LONGEST_NAME && isName(text.charAt(start - 1))) {
      start--;
    }
    return start;
  }

  private static boolean isName(char c) {
    return Character.isLetterOrDigit(c) || ".!#$%&+-_~".indexOf(c) >= 0;
  }

  /** The index behind a host whose last part has only letters; zero if there is no such host. */
  private static int end(CharSequence text, int from) {
    int end = from;
    int dot = 0;
    boolean letters = false;
    int found = 0;
    while (end < text.length() && end - from < LONGEST_HOST) {
      char c = text.charAt(end);
      if (c == '.') {
        dot = end;
        letters = true;
      } else if (Character.isLetterOrDigit(c) || c == '-') {
        letters &= Character.isLetter(c);
      } else {
        break;
      }
      end++;
      if (dot > from && letters && end - dot > 2) {
        found = end;
      }
    }
    return found;
  }
}
