package io.posthorn.core.error;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Removes what stands between a beginning, which is kept, and an end.
 *
 * @param begin must look at a bounded number of characters from wherever it is tried
 */
record Span(Pattern begin, End end) implements Rule {
  /** Where the text to remove ends. */
  interface End {
    /**
     * Its index, or {@link #nothing} if nothing is to be removed. To be linear it looks at no more
     * than a bounded number of characters beyond the index that it returns, or says once that there
     * is no end up to there.
     *
     * @param from where the text to remove begins
     */
    int of(CharSequence text, int from);
  }

  static Span of(String begin, End end) {
    return new Span(Pattern.compile(begin), end);
  }

  /** Nothing is to be removed, nor from any later beginning before this index. */
  static int nothing(int before) {
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
