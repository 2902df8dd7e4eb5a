package io.posthorn.core.message;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds the type that a misspelt name probably means. */
public final class SimilarTypes {
  private static final int LONGEST = 200;

  private SimilarTypes() {}

  /**
   * Returns the known type that is most like this name; empty if none is. A type is like a name if
   * they differ in case, in separators, or in at most two characters, but not in more than a third
   * of them.
   */
  public static Optional<String> closest(String name, Collection<String> known) {
    String plain = plain(name);
    return known.stream()
        .filter(type -> !type.equals(name))
        .filter(type -> distance(plain, plain(type)) <= Math.min(2, plain.length() / 3))
        .min(
            Comparator.<String>comparingInt(type -> distance(plain, plain(type)))
                .thenComparing(Comparator.naturalOrder()));
  }

  private static String plain(String name) {
    String letters = name.replaceAll("[-_.:/ ]", "").toLowerCase(Locale.ROOT);
    return letters.substring(0, Math.min(LONGEST, letters.length()));
  }

  /** The number of characters to insert, remove, replace or swap with their neighbour. */
  private static int distance(String one, String other) {
    int[][] d = new int[one.length() + 1][other.length() + 1];
    for (int i = 0; i <= one.length(); i++) {
      for (int j = 0; j <= other.length(); j++) {
        if (i == 0 || j == 0) {
          d[i][j] = i + j;
          continue;
        }
        int replaced = d[i - 1][j - 1] + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        d[i][j] = Math.min(replaced, Math.min(d[i - 1][j], d[i][j - 1]) + 1);
        if (i > 1
            && j > 1
            && one.charAt(i - 1) == other.charAt(j - 2)
            && one.charAt(i - 2) == other.charAt(j - 1)) {
          d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
        }
      }
    }
    return d[one.length()][other.length()];
  }
}
