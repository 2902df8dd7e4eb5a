package io.posthorn.core.relay;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Sets how soon and how often a failed message is retried. The pause after attempt n is base ·
 * 2^(n−1), at most the ceiling, plus a random part of it.
 *
 * @param base pause after the first attempt; default 1 s
 * @param ceiling longest pause; default 60 s
 * @param jitter largest random addition, as a part of the pause; default 0.2
 * @param maxAttempts number of failed attempts after which a message is dead; default 10
 * @param timeLimit time since the first failure after which a message is dead too; default 24 h
 */
public record RetryPolicy(
    Duration base, Duration ceiling, double jitter, int maxAttempts, Duration timeLimit) {
  public static final RetryPolicy DEFAULT =
      new RetryPolicy(Duration.ofSeconds(1), Duration.ofSeconds(60), 0.2, 10, Duration.ofHours(24));

  /** The same policy with this number of attempts. */
  public RetryPolicy maxAttempts(int maxAttempts) {
    return new RetryPolicy(base, ceiling, jitter, maxAttempts, timeLimit);
  }

  /** The same policy with this first and this longest pause. */
  public RetryPolicy backoff(Duration first, Duration longest) {
    return new RetryPolicy(first, longest, jitter, maxAttempts, timeLimit);
  }

  /** The pause after this number of attempts. */
  public Duration pauseAfter(int attempts, RandomGenerator random) {
    long doubled = base.toMillis() << Math.min(attempts - 1, 30);
    long pause = Math.min(ceiling.toMillis(), doubled);
    return Duration.ofMillis(pause + (long) (pause * jitter * random.nextDouble()));
  }

  /** How many pauses in a row fit into this time, without the random part. */
  int pausesWithin(Duration time) {
    int pauses = 0;
    long doubled = base.toMillis();
    for (long left = time.toMillis(); left >= doubled && pauses < 30; pauses++) {
      left -= doubled;
      doubled *= 2;
    }
    return pauses;
  }

  boolean tooLong(Duration failing) {
    return failing.compareTo(timeLimit) >= 0;
  }

  /**
   * Whether a message is dead after this number of attempts, or this time since the first failure.
   */
  public boolean exhausted(int attempts, Duration failingFor) {
    return attempts >= maxAttempts || tooLong(failingFor);
  }
}
