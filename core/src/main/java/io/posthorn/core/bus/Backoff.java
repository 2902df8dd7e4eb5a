package io.posthorn.core.bus;

import java.time.Duration;

/** Pauses that double after each failure, up to a maximum. */
final class Backoff {
  private final Duration first;
  private final Duration longest;
  private Duration next;

  Backoff(Duration first, Duration longest) {
    this.first = first;
    this.longest = longest;
    this.next = first;
  }

  boolean begun() {
    return !next.equals(first);
  }

  Duration next() {
    Duration pause = next;
    next = pause.multipliedBy(2).compareTo(longest) > 0 ? longest : pause.multipliedBy(2);
    return pause;
  }

  void reset() {
    next = first;
  }
}
