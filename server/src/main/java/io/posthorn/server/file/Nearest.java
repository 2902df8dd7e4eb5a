package io.posthorn.server.file;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.TreeSet;

/** Suggests the name that was probably meant. */
final class Nearest {
  private Nearest() {}

  /** Returns a sentence with the nearest name, or with all names if none is near. */
  static String suggestion(String written, Collection<String> known) {
    return nearest(written, known)
        .map("Did you mean '%s'?"::formatted)
        .orElseGet(
            () ->
                known.isEmpty()
                    ? "Remove it."
                    : "Known here: %s.".formatted(String.join(", ", new TreeSet<>(known))));
  }

  private static Optional<String> nearest(String written, Collection<String> known) {
    int most = Math.max(2, written.length() / 3);
    return known.stream()
        .filter(name -> distance(written, name) <= most)
        .min(Comparator.comparingInt((String name) -> distance(written, name)));
  }

  /** The fewest letters to insert, remove or replace. */
  private static int distance(String one, String other) {
    int[] row = new int[other.length() + 1];
    for (int j = 0; j < row.length; j++) {
      row[j] = j;
    }
    for (int i = 1; i <= one.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j < row.length; j++) {
        int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[other.length()];
  }
}
