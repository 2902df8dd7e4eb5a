package io.posthorn.core.error;

import java.util.regex.Pattern;

/**
 * Removes text that looks like a secret by itself.
 *
 * @param pattern does not backtrack after it has read an unbounded number of characters
 */
record WholeMatchRule(Pattern pattern) implements Rule {
  static WholeMatchRule of(String pattern) {
    return new WholeMatchRule(Pattern.compile(pattern));
  }

  @Override
  public CharSequence apply(CharSequence text) {
    return pattern.matcher(text).replaceAll(REMOVED);
  }
}
