package io.posthorn.demo;

import java.time.Duration;
import java.util.Collection;
import java.util.Locale;

/** Formats numbers, times and lists for people. */
final class Words {
  private Words() {}

  static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** Formats a number in at most five characters. */
  static String brief(long number) {
    if (number < 10_000) {
      return count(number);
    }
    return number < 1_000_000
        ? number / 1_000 + "k"
        : String.format(Locale.ROOT, "%.1fM", number / 1e6);
  }

  static String millis(long millis) {
    return millis < 1_000 ? millis + " ms" : seconds(Duration.ofMillis(millis));
  }

  static String seconds(Duration time) {
    return String.format(Locale.ROOT, "%.1f s", time.toMillis() / 1000.0);
  }

  /** Formats a time as minutes and seconds. */
  static String clock(Duration time) {
    return String.format(Locale.ROOT, "%02d:%02d", time.toMinutes(), time.toSecondsPart());
  }

  static String list(Collection<String> names) {
    return String.join(", ", names);
  }
}
