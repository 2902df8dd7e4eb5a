package io.posthorn.core.error;

import java.util.Arrays;
import java.util.List;

/**
 * Finds where a quoted value ends in a sentence that somebody else wrote, whatever characters the
 * value is made of.
 */
public final class ValueEnds {
  /** A stack trace begins a line with these. */
  static final List<String> OF_STACK_TRACES = List.of("Suppressed: ", "Caused by: ");

  private ValueEnds() {}

  /**
   * The end of the sentence, which has several lines if the value has: before a line that begins
   * with one of the {@link SanitiserRules#headings}, or before the frames of a stack trace.
   */
  public static int section(CharSequence text, int from) {
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
        || ActiveRules.headings().stream().anyMatch(heading -> startsWith(text, word, heading));
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
   * The last of these tails in the sentence; nothing is removed if it has none of them. The first
   * tail would not do, because the value may contain a tail.
   *
   * @param tails each with a bar between what is removed with the value and what stays
   */
  public static BetweenRule.End last(String... tails) {
    return (text, from) -> {
      int end = section(text, from);
      int found = lastOf(text, from, end, tails);
      return found < 0 ? BetweenRule.nothing(end) : found;
    };
  }

  /** Like {@link #last}; the end of the sentence if it has none of the tails. */
  public static BetweenRule.End lastOrAll(String... tails) {
    return (text, from) -> {
      int end = section(text, from);
      int found = lastOf(text, from, end, tails);
      return found < 0 ? end : found;
    };
  }

  /** The first end, or the second if the first removes nothing. */
  public static BetweenRule.End either(BetweenRule.End first, BetweenRule.End second) {
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
