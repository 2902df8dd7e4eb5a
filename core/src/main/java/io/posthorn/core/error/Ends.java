package io.posthorn.core.error;

import java.util.Arrays;
import java.util.List;

/** Where a value ends that others have put into their sentence, whatever the value is made of. */
final class Ends {
  /** What PostgreSQL's driver and stack traces begin a line with after the sentence. */
  private static final List<String> HEADINGS =
      List.of(
          "Detail: ",
          "Hint: ",
          "Position: ",
          "Where: ",
          "Location: ",
          "Internal Query: ",
          "Internal Position: ",
          "Server SQLState: ",
          "Suppressed: ",
          "Caused by: ");

  private Ends() {}

  /** The end of the sentence, which may have many lines if the value has. */
  static int section(CharSequence text, int from) {
    for (int i = from; i < text.length(); i++) {
      if (text.charAt(i) == '\n' && beginsSection(text, i + 1)) {
        return i;
      }
    }
    return text.length();
  }

  private static boolean beginsSection(CharSequence text, int line) {
    int at = line;
    while (at < text.length() && at < line + 8 && isIndent(text.charAt(at))) {
      at++;
    }
    boolean frame = at > line && text.charAt(at - 1) == '\t';
    int word = at;
    return (frame && (startsWith(text, word, "at ") || startsWith(text, word, "... ")))
        || HEADINGS.stream().anyMatch(heading -> startsWith(text, word, heading));
  }

  private static boolean isIndent(char c) {
    return c == ' ' || c == '\t';
  }

  static int line(CharSequence text, int from) {
    int at = from;
    while (at < text.length() && text.charAt(at) != '\n') {
      at++;
    }
    return at;
  }

  /**
   * The last of these in the sentence. A value may contain them, too, so the first would not do.
   *
   * @param tails with a bar between what is removed with the value, and what stays
   */
  static Span.End last(String... tails) {
    return (text, from) -> {
      int end = section(text, from);
      int found = lastOf(text, from, end, tails);
      return found < 0 ? Span.nothing(end) : found;
    };
  }

  /** The same; without any of them, the end of the sentence. */
  static Span.End lastOrAll(String... tails) {
    return (text, from) -> {
      int end = section(text, from);
      int found = lastOf(text, from, end, tails);
      return found < 0 ? end : found;
    };
  }

  /** As the first of these says, or else the second. */
  static Span.End either(Span.End first, Span.End second) {
    return (text, from) -> {
      int end = first.of(text, from);
      return end < 0 ? second.of(text, from) : end;
    };
  }

  private static int lastOf(CharSequence text, int from, int end, String... tails) {
    return Arrays.stream(tails).mapToInt(tail -> lastOf(text, from, end, tail)).max().orElse(-1);
  }

  private static int lastOf(CharSequence text, int from, int end, String tail) {
    int removed = tail.indexOf('|');
    String whole = tail.substring(0, removed) + tail.substring(removed + 1);
    for (int i = end - whole.length(); i >= from; i--) {
      if (startsWith(text, i, whole)) {
        return i + removed;
      }
    }
    return -1;
  }

  static boolean startsWith(CharSequence text, int at, String what) {
    if (at + what.length() > text.length()) {
      return false;
    }
    for (int i = 0; i < what.length(); i++) {
      if (text.charAt(at + i) != what.charAt(i)) {
        return false;
      }
    }
    return true;
  }
}
