package io.posthorn.testkit;

import java.util.ArrayList;
import java.util.List;

/**
 * What the {@link Oracle} found.
 *
 * @param committed messages that must arrive
 * @param delivered different messages that did
 * @param lost committed, and did not arrive
 * @param phantom arrived, and was never committed
 * @param reordered arrived after a later one of its key, both for the first time
 * @param duplicates arrived again; allowed, and worth counting
 * @param corrupted arrived with another content
 * @param offenders the first of them, in words
 */
public record OracleReport(
    long committed,
    long delivered,
    long lost,
    long phantom,
    long reordered,
    long duplicates,
    long corrupted,
    List<String> offenders) {

  /** Duplicates are no fault. */
  public boolean isClean() {
    return lost == 0 && phantom == 0 && reordered == 0 && corrupted == 0;
  }

  public void assertClean() {
    if (!isClean()) {
      throw new AssertionError(
          this + offenders.stream().map("\n  "::concat).reduce("", String::concat));
    }
  }

  @Override
  public String toString() {
    return "committed %d, delivered %d, lost %d, phantom %d, reordered %d, duplicates %d, corrupted %d"
        .formatted(committed, delivered, lost, phantom, reordered, duplicates, corrupted);
  }

  /** Adds up key by key. */
  static final class Judge {
    private static final int MOST_OFFENDERS = 20;

    private final List<String> offenders = new ArrayList<>();
    private long committed;
    private long delivered;
    private long lost;
    private long phantom;
    private long reordered;
    private long duplicates;
    private long corrupted;

    void compare(String key, List<Long> list, SeenNumbers seen) {
      committed += list.size();
      delivered += seen.distinct();
      duplicates += seen.duplicates();
      for (long n : list) {
        if (!seen.contains(n)) {
          lost++;
          offend("lost", key, n);
        }
      }
      // Numbers are given without gaps to what is committed, so the list is a range.
      long top = list.isEmpty() ? 0 : list.get(list.size() - 1);
      long highest = 0;
      for (long n : seen.firsts()) {
        if (n < 1 || n > top) {
          phantom++;
          offend("phantom", key, n);
        } else if (n < highest) {
          reordered++;
          offend("reordered (after " + highest + ")", key, n);
        }
        highest = Math.max(highest, n);
      }
    }

    void corrupted(String line) {
      corrupted++;
      offend("corrupted", line, -1);
    }

    private void offend(String how, String key, long n) {
      if (offenders.size() < MOST_OFFENDERS) {
        offenders.add(how + ": " + key + (n < 0 ? "" : " " + n));
      }
    }

    OracleReport verdict() {
      return new OracleReport(
          committed,
          delivered,
          lost,
          phantom,
          reordered,
          duplicates,
          corrupted,
          List.copyOf(offenders));
    }
  }
}
