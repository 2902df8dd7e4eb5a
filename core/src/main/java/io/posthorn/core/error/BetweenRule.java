package io.posthorn.core.error;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Removes the text between a beginning, which is kept, and an end.
 *
 * @param begin reads a bounded number of characters from wherever it is tried
 */
public record BetweenRule(Pattern begin, End end) implements Rule {
  /** Finds where the text to remove ends. */
  @FunctionalInterface
  public interface End {
    /**
     * The index where the text to remove ends, or {@link #nothing} if nothing is to be removed.
     *
     * <p>To be linear, an end reads no more than a bounded number of characters beyond the index
     * that it returns. Or it returns {@link #nothing} with an index, and is not asked again before
     * that index.
     *
     * @param from where the text to remove begins
     */
    int of(CharSequence text, int from);
  }

  /** A rule for text behind this regular expression. */
  public static BetweenRule of(String begin, End end) {
    return new BetweenRule(Pattern.compile(begin), end);
  }

  /** Says that nothing is to be removed, nor behind any beginning before this index. */
  public static int nothing(int before) {
    return ~before;
  }

  @Override
  public CharSequence apply(CharSequence text) {
    Matcher matcher = begin.matcher(text);
    StringBuilder kept = new StringBuilder();
    int copied = 0;
    int at = 0;
    while (at <= text.length() && matcher.find(at)) {
      int from = matcher.end();
      int to = end.of(text, from);
      if (to > from) {
        kept.append(text, copied, from).append(REMOVED);
        copied = to;
        at = to;
      } else {
        at = Math.max(Math.max(~to, from), matcher.start() + 1);
      }
    }
    return copied == 0 ? text : kept.append(text, copied, text.length());
  }
}
