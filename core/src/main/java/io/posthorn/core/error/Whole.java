package io.posthorn.core.error;

import java.util.regex.Pattern;

/**
 * Removes what looks like a secret by itself.
 *
 * @param pattern must not go back after it has looked at an unbounded number of characters
 */
record Whole(Pattern pattern) implements Rule {
  static Whole of(String pattern) {
    return new Whole(Pattern.compile(pattern));
  }

  @Override
  public CharSequence apply(CharSequence text) {
    return pattern.matcher(text).replaceAll(REMOVED);
  }
}
