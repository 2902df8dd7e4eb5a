package io.posthorn.testkit;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** A steady clock that stands still until a test moves it. */
public final class SettableClock {
  private final AtomicLong nanos = new AtomicLong();

  /** Starts anywhere, as {@code System.nanoTime} does. */
  public SettableClock(long start) {
    nanos.set(start);
  }

  public SettableClock() {
    this(0);
  }

  public long nanoTime() {
    return nanos.get();
  }

  public void advance(Duration time) {
    if (time.isNegative()) {
      throw new IllegalArgumentException("a steady clock does not go back: " + time);
    }
    nanos.addAndGet(time.toNanos());
  }
}
