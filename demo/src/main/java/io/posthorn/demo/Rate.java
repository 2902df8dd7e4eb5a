package io.posthorn.demo;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/** The growth of a count per second, over the last two seconds. */
final class Rate {
  private static final long WINDOW = Duration.ofSeconds(2).toNanos();

  private record Sample(long at, long count) {}

  private final Deque<Sample> samples = new ArrayDeque<>();

  void note(long count) {
    Sample now = new Sample(System.nanoTime(), count);
    samples.addLast(now);
    while (samples.size() > 2 && now.at - samples.getFirst().at > WINDOW) {
      samples.removeFirst();
    }
  }

  long perSecond() {
    if (samples.size() < 2) {
      return 0;
    }
    Sample first = samples.getFirst();
    Sample last = samples.getLast();
    return Math.round((last.count - first.count) * 1e9 / (last.at - first.at));
  }
}
