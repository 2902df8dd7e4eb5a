package io.posthorn.server.file;

import io.posthorn.core.error.Sanitiser;
import java.util.Comparator;

/**
 * Something in the file that must be corrected.
 *
 * @param line from 1
 * @param column from 1
 * @param path the key with all keys above it; empty if it is not about a key
 */
public record Problem(int line, int column, String path, String text)
    implements Comparable<Problem> {
  private static final Comparator<Problem> ORDER =
      Comparator.comparingInt(Problem::line)
          .thenComparingInt(Problem::column)
          .thenComparing(Problem::path)
          .thenComparing(Problem::text);

  public Problem {
    text = Sanitiser.clean(text);
  }

  @Override
  public int compareTo(Problem other) {
    return ORDER.compare(this, other);
  }

  /** Returns it as compilers do, so that editors find the place. */
  public String in(String file) {
    return "%s:%d:%d: %s%s".formatted(file, line, column, path.isEmpty() ? "" : path + ": ", text);
  }
}
