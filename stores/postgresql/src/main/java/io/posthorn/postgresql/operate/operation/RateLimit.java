package io.posthorn.postgresql.operate.operation;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A rate limit whose state is a time in the database. */
final class RateLimit {
  /** The most items of one step, whatever the rate. */
  static final int CHUNK = 100;

  private final @Nullable Double perSecond;
  private double seconds;

  RateLimit(@Nullable Double perSecond, double seconds) {
    this.perSecond = perSecond;
    // Unused time is not saved up beyond one second, or beyond one item at slower rates.
    double most = perSecond == null ? 0 : Math.max(1, 1 / perSecond);
    // A time in the future means that the clock was set back; the limit starts again.
    this.seconds = seconds < -1 ? most : Math.min(seconds, most);
  }

  /**
   * Returns how many items may be handled now. It waits for the items of a tenth of a second
   * instead of single ones, because every step is a commit.
   */
  long ready() {
    if (perSecond == null) {
      return Long.MAX_VALUE;
    }
    long ready = (long) Math.floor(seconds * perSecond + 1e-6);
    return ready >= together(perSecond) ? ready : 0;
  }

  private static long together(double perSecond) {
    return Math.max(1, Math.min(CHUNK, (long) (perSecond / 10)));
  }

  void took(int count) {
    seconds -= perSecond == null ? 0 : count / perSecond;
  }

  Duration pause() {
    double rate = Objects.requireNonNull(perSecond);
    double missing = together(rate) / rate - seconds;
    return Duration.ofNanos(Math.max(1_000_000L, (long) (missing * 1e9)));
  }

  double seconds() {
    return seconds;
  }
}
