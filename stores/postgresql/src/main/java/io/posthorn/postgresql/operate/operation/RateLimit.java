package io.posthorn.postgresql.operate.operation;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A limit of rate whose memory is a time in the database. */
final class RateLimit {
  /** At most so many at once, however fast it may go. */
  static final int CHUNK = 100;

  private final @Nullable Double perSecond;
  private double seconds;

  RateLimit(@Nullable Double perSecond, double seconds) {
    this.perSecond = perSecond;
    // What was not used is not saved up: a second's worth, or one.
    double most = perSecond == null ? 0 : Math.max(1, 1 / perSecond);
    // A time in the future: the clock was set back, and it begins anew.
    this.seconds = seconds < -1 ? most : Math.min(seconds, most);
  }

  /** A tenth of a second's worth at once, and not each as it comes: every step is a commit. */
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
