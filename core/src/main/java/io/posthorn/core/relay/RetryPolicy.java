package io.posthorn.core.relay;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Sets how soon and how often a failed message is retried. The pause after attempt n is backoff ·
 * 2^(n−1), at most the longest backoff, plus a random part of it.
 *
 * @param backoff pause after the first attempt; default 1 s
 * @param longestBackoff longest pause; default 60 s
 * @param jitter largest random addition, as a part of the pause; default 0.2
 * @param attempts number of failed attempts after which a message is dead; default 10
 * @param timeLimit time since the first failure after which a message is dead too; default 24 h
 */
public record RetryPolicy(
    Duration backoff, Duration longestBackoff, double jitter, int attempts, Duration timeLimit) {
  public static final RetryPolicy DEFAULT =
      new RetryPolicy(Duration.ofSeconds(1), Duration.ofSeconds(60), 0.2, 10, Duration.ofHours(24));

  /** The same policy with this number of attempts. */
  public RetryPolicy attempts(int attempts) {
    return new RetryPolicy(backoff, longestBackoff, jitter, attempts, timeLimit);
  }

  /** The same policy with this first and this longest pause. */
  public RetryPolicy backoff(Duration first, Duration longest) {
    return new RetryPolicy(first, longest, jitter, attempts, timeLimit);
  }

  /** The pause after this number of attempts. */
  public Duration pauseAfter(int made, RandomGenerator random) {
    long doubled = backoff.toMillis() << Math.min(made - 1, 30);
    long pause = Math.min(longestBackoff.toMillis(), doubled);
    return Duration.ofMillis(pause + (long) (pause * jitter * random.nextDouble()));
  }

  /** How many pauses in a row fit into this time, without the random part. */
  int pausesWithin(Duration time) {
    int pauses = 0;
    long doubled = backoff.toMillis();
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
  public boolean exhausted(int made, Duration failingFor) {
    return made >= attempts || tooLong(failingFor);
  }
}
