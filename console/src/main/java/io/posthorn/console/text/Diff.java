package io.posthorn.console.text;

import java.util.ArrayList;
import java.util.List;

/** Compares two texts line by line. */
public final class Diff {
  private static final long LARGEST = 4_000_000;

  private Diff() {}

  /** What happened to a line. */
  public enum Change {
    SAME,
    ADDED,
    REMOVED
  }

  /** One line of the comparison. */
  public record Line(Change change, String text) {
    /** The sign in front of it. */
    public String sign() {
      return switch (change) {
        case SAME -> " ";
        case ADDED -> "+";
        case REMOVED -> "−";
      };
    }

    /** The class of its row. */
    public String kind() {
      return switch (change) {
        case SAME -> "";
        case ADDED -> "add";
        case REMOVED -> "del";
      };
    }
  }

  /** The lines of both texts, with the fewest changes. */
  public static List<Line> of(String before, String after) {
    List<String> a = before.lines().toList();
    List<String> b = after.lines().toList();
    int start = 0;
    while (start < a.size() && start < b.size() && a.get(start).equals(b.get(start))) {
      start++;
    }
    int endA = a.size();
    int endB = b.size();
    while (endA > start && endB > start && a.get(endA - 1).equals(b.get(endB - 1))) {
      endA--;
      endB--;
    }
    List<Line> lines = new ArrayList<>();
    a.subList(0, start).forEach(line -> lines.add(new Line(Change.SAME, line)));
    middle(a.subList(start, endA), b.subList(start, endB), lines);
    a.subList(endA, a.size()).forEach(line -> lines.add(new Line(Change.SAME, line)));
    return lines;
  }

  private static void middle(List<String> a, List<String> b, List<Line> lines) {
    if ((long) a.size() * b.size() > LARGEST) {
      a.forEach(line -> lines.add(new Line(Change.REMOVED, line)));
      b.forEach(line -> lines.add(new Line(Change.ADDED, line)));
      return;
    }
    int[][] common = new int[a.size() + 1][b.size() + 1];
    for (int i = a.size() - 1; i >= 0; i--) {
      for (int j = b.size() - 1; j >= 0; j--) {
        common[i][j] =
            a.get(i).equals(b.get(j))
                ? common[i + 1][j + 1] + 1
                : Math.max(common[i + 1][j], common[i][j + 1]);
      }
    }
    int i = 0;
    int j = 0;
    while (i < a.size() || j < b.size()) {
      if (i < a.size() && j < b.size() && a.get(i).equals(b.get(j))) {
        lines.add(new Line(Change.SAME, a.get(i++)));
        j++;
      } else if (i < a.size() && (j == b.size() || common[i + 1][j] >= common[i][j + 1])) {
        lines.add(new Line(Change.REMOVED, a.get(i++)));
      } else {
        lines.add(new Line(Change.ADDED, b.get(j++)));
      }
    }
  }
}
