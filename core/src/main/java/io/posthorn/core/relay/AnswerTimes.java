package io.posthorn.core.relay;

import java.time.Duration;
import java.util.Arrays;

/**
 * How long a destination takes to answer, to tell slow answers from usual ones. An answer is late
 * after four times the time that nine of ten recent answers took, and after {@code slowAfter} in
 * any case.
 */
final class AnswerTimes {
  private static final int KEPT = 64;

  /** With fewer answers than this, the usual time is not known. */
  private static final int ENOUGH = 16;

  private static final int TIMES_USUAL = 4;

  /** A lane looks after this time at the earliest, whatever {@code slowAfter} is. */
  private static final long AT_LEAST = Duration.ofMillis(1).toNanos();

  /** To set a message aside costs two writes, so it must not follow from a short hiccup. */
  private static final long SHORTEST = Duration.ofMillis(5).toNanos();

  private final long[] latest = new long[KEPT];
  private long answers;
  private long usual;
  private long usualComputedAt;

  /** Counts an answer that took this many nanoseconds. */
  void add(long took) {
    latest[(int) (answers % KEPT)] = took;
    answers++;
  }

  /** The nanoseconds after which an answer is late. */
  long lateAfter(Duration slowAfter) {
    long longest = Math.max(AT_LEAST, slowAfter.toNanos());
    if (answers < ENOUGH) {
      return longest;
    }
    return Math.min(longest, Math.max(SHORTEST, TIMES_USUAL * usual()));
  }

  private long usual() {
    if (usualComputedAt == 0 || answers - usualComputedAt >= ENOUGH) {
      int known = (int) Math.min(answers, KEPT);
      long[] sorted = Arrays.copyOf(latest, known);
      Arrays.sort(sorted);
      usual = sorted[known * 9 / 10];
      usualComputedAt = answers;
    }
    return usual;
  }
}
