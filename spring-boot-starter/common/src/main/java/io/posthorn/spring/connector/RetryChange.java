package io.posthorn.spring.connector;

import io.posthorn.core.relay.RetryPolicy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What is different from another retry policy. Everything that is not set is as there.
 *
 * @param backoff pause after the first attempt, doubled each time
 * @param longestBackoff the longest pause
 * @param jitter the largest random addition to a pause, as a part of it
 * @param attempts after this many attempts the message is dead
 * @param timeLimit the message is also dead this long after its first failure
 */
public record RetryChange(
    @Nullable Duration backoff,
    @Nullable Duration longestBackoff,
    @Nullable Double jitter,
    @Nullable Integer attempts,
    @Nullable Duration timeLimit) {

  /** The policy that results from this change of the other one. */
  public RetryPolicy of(RetryPolicy other) {
    return new RetryPolicy(
        or(backoff, other.backoff()),
        or(longestBackoff, other.longestBackoff()),
        or(jitter, other.jitter()),
        or(attempts, other.attempts()),
        or(timeLimit, other.timeLimit()));
  }

  private static <T> T or(@Nullable T changed, T other) {
    return changed == null ? other : changed;
  }
}
