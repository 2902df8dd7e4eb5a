package io.posthorn.console.text;

import io.posthorn.core.message.Key;
import io.posthorn.core.operate.figures.Figures.Count;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** How the console writes numbers, times, sizes and ids. Templates know it as {@code w}. */
public final class Words {
  private static final int SHORT_ENDS = 8;
  private static final int LAST = 4;
  private static final Pattern ID =
      Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");

  /** A number with separators. */
  public static String number(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** A number that is counted only up to a limit. */
  public static String counted(long number, long most) {
    return number < most ? number(number) : number(most) + "+";
  }

  /** A number that may be an estimate. */
  public static String about(long number, boolean estimated) {
    return estimated ? "about " + number(rounded(number)) : number(number);
  }

  private static long rounded(long number) {
    long step = 1;
    while (number / step >= 1_000) {
      step *= 10;
    }
    return number / step * step;
  }

  /** The number with its noun. */
  public static String of(long number, String one) {
    return Count.exactly(number).of(one);
  }

  /** The number with its noun, for nouns with an irregular plural. */
  public static String of(long number, String one, String many) {
    return Count.exactly(number).of(one, many);
  }

  /** The first and the last digits of an id; the whole of anything else. */
  public static String id(Object id) {
    String text = id.toString();
    return ID.matcher(text).matches()
        ? text.substring(0, SHORT_ENDS) + "…" + text.substring(text.length() - LAST)
        : text;
  }

  /** A size in bytes. */
  public static String bytes(long bytes) {
    if (bytes < 1_000) {
      return of(bytes, "byte");
    }
    double size = bytes;
    String[] units = {"kB", "MB", "GB", "TB"};
    int unit = -1;
    while (size >= 1_000 && unit < units.length - 1) {
      size /= 1_000;
      unit++;
    }
    return String.format(Locale.ROOT, size < 10 ? "%.1f %s" : "%.0f %s", size, units[unit]);
  }

  /** How long, with two units at most. */
  public static String duration(Duration duration) {
    long millis = Math.max(0, duration.toMillis());
    long seconds = millis / 1_000;
    if (millis < 1_000) {
      return millis + " ms";
    }
    if (seconds < 10) {
      return String.format(Locale.ROOT, "%.1f s", millis / 1_000.0);
    }
    if (seconds < 60) {
      return seconds + " s";
    }
    if (seconds < 3_600) {
      return pair(seconds / 60, "min", seconds % 60, "s", 10);
    }
    if (seconds < 172_800) {
      return pair(seconds / 3_600, "h", seconds % 3_600 / 60, "min", 12);
    }
    return of(seconds / 86_400, "day");
  }

  private static String pair(long large, String unit, long small, String unit2, long exactUpTo) {
    return small == 0 || large >= exactUpTo
        ? large + " " + unit
        : large + " " + unit + " " + small + " " + unit2;
  }

  /** How long ago, for the first look; the page keeps it up to date. */
  public static String ago(Instant at) {
    Duration age = Duration.between(at, Instant.now());
    long seconds = Math.abs(age.toSeconds());
    if (seconds < 5) {
      return age.isNegative() ? "in a moment" : "just now";
    }
    String text;
    if (seconds < 90) {
      text = seconds + " s";
    } else if (seconds < 5_400) {
      text = Math.round(seconds / 60.0) + " min";
    } else if (seconds < 172_800) {
      text = Math.round(seconds / 3_600.0) + " h";
    } else {
      text = Math.round(seconds / 86_400.0) + " days";
    }
    return age.isNegative() ? "in " + text : text + " ago";
  }

  /** The age of this time, in words; "–" if there is none. */
  public static String age(@Nullable Instant at) {
    return at == null ? "–" : duration(Duration.between(at, Instant.now()));
  }

  /** Foreign text on one line. */
  public static String text(@Nullable Object text) {
    return text == null ? "" : Visible.line(text.toString());
  }

  /** Foreign text on one line, cut off after this many characters. */
  public static String text(@Nullable Object text, int most) {
    String line = text(text);
    return line.length() <= most
        ? line
        : line.substring(
                0,
                line.offsetByCodePoints(0, Math.min(most, line.codePointCount(0, line.length()))))
            + "…";
  }

  /** A key; "no key" if there is none. */
  public static String key(@Nullable Key key) {
    return key == null ? "no key" : text(key);
  }

  /** A constant as a word: {@code IN_FLIGHT} becomes "in flight". */
  public static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /** The text as a sentence: with a capital letter and a full stop. */
  public static String sentence(String text) {
    String line = text(text, 800);
    if (line.isEmpty()) {
      return line;
    }
    String end = line.endsWith(".") || line.endsWith("…") ? "" : ".";
    return Character.toUpperCase(line.charAt(0)) + line.substring(1) + end;
  }
}
