package io.posthorn.core.relay;

import io.posthorn.core.connector.Reason;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Stops a destination automatically. The breaker opens when the destination says that it is
 * unavailable, or when many different keys fail in a row without a success, so that the messages
 * cannot all be at fault. While it is open, a single message is tried now and then as a probe. The
 * first probe that is sent or rejected closes it.
 *
 * <p>Answers arrive in another order than their calls began. What counts here is when a call began:
 * a success shows nothing about the time after that.
 */
final class Breaker {
  private static final RetryPolicy PAUSES =
      RetryPolicy.DEFAULT.backoff(Duration.ofMillis(200), Duration.ofSeconds(15));

  private final int afterKeys;
  private final RandomGenerator random;

  /**
   * Keys that failed since the last success, by the time at which their calls began. Of those that
   * do not count, a few are enough to show that others failed too: any number of messages may
   * always fail.
   */
  private final Map<Object, Failure> failedInARow = new HashMap<>();

  /** A failed call; {@code counts} if the destination may be at fault. */
  private record Failure(long began, boolean counts) {}

  private @Nullable Reason openReason;
  private int failedProbes;
  private long probeAt;
  private boolean askedToWait;
  private boolean wasOpened;
  private long openedAt;
  private boolean hasWorked;

  /**
   * When the last successful calls began: as many as the keys that must fail to open the breaker.
   */
  private final Deque<Long> lastWorked = new ArrayDeque<>();

  private long workedFrom;

  Breaker(int afterKeys, RandomGenerator random) {
    this.afterKeys = afterKeys;
    this.random = random;
  }

  boolean isOpen() {
    return openReason != null;
  }

  /** Why the breaker is open; null if it is closed. */
  @Nullable Reason openReason() {
    return openReason;
  }

  /** How many probes have failed since the breaker opened. */
  int failedProbes() {
    return failedProbes;
  }

  /** Whether a call that began at this time, or later, showed that the destination works. */
  boolean workedSince(long time) {
    return hasWorked && workedFrom - time >= 0;
  }

  /** Whether as many calls showed that as keys must fail to open the breaker. */
  boolean workedOftenSince(long time) {
    return lastWorked.size() >= afterKeys
        && lastWorked.stream().allMatch(began -> began - time >= 0);
  }

  long probeAt() {
    return probeAt;
  }

  /**
   * Says that a call that began at this time was sent or rejected, as only a working destination
   * does; returns true if that closed the breaker. A call that began before the breaker opened does
   * not close it, but lets the next probe start at once.
   */
  boolean worked(long startedAt, long now) {
    workedFrom = hasWorked && workedFrom - startedAt > 0 ? workedFrom : startedAt;
    hasWorked = true;
    lastWorked.add(startedAt);
    if (lastWorked.size() > afterKeys) {
      lastWorked.remove();
    }
    failedInARow.values().removeIf(failure -> failure.began - startedAt <= 0);
    if (openReason == null) {
      return false;
    }
    if (startedAt - openedAt < 0) {
      probeAt = failedProbes > 0 || askedToWait ? probeAt : now;
      return false;
    }
    openReason = null;
    failedProbes = 0;
    return true;
  }

  /**
   * Says that a call of this key failed; returns true if enough keys failed in a row for the
   * breaker to open.
   *
   * @param counts false if the key is known to fail while others are sent
   */
  boolean failed(Object key, long startedAt, boolean counts) {
    boolean isKept = counts || failedInARow.size() < afterKeys || failedInARow.containsKey(key);
    if (isKept && !manyFailed() && !workedSince(startedAt)) {
      failedInARow.put(key, new Failure(startedAt, counts));
    }
    return manyFailed();
  }

  /** How many failed keys are in memory: at most twice as many as open the breaker. */
  int failedKeys() {
    return failedInARow.size();
  }

  /** Whether enough keys have failed since a success to show that the destination is at fault. */
  boolean manyFailed() {
    return failedInARow.values().stream().filter(Failure::counts).count() >= afterKeys;
  }

  /** Whether other keys have failed since a success. */
  boolean othersFailed(Object key) {
    return failedInARow.size() > (failedInARow.containsKey(key) ? 1 : 0);
  }

  /** When the breaker last opened. */
  long openedAt() {
    return openedAt;
  }

  /** Whether the breaker opened while this call was in flight; it may have closed again. */
  boolean openedDuring(TrackedDelivery call) {
    return wasOpened && openedAt - call.startedAt > 0;
  }

  /**
   * Says that the destination is at fault; returns true if that opened the breaker. The first probe
   * waits at least this time.
   */
  boolean open(Reason reason, Duration atLeast, long now) {
    if (openReason != null) {
      return false;
    }
    openReason = reason;
    wasOpened = true;
    openedAt = now;
    failedProbes = 0;
    pause(atLeast, now);
    return true;
  }

  /** Says that a probe failed: the next probe waits longer, and at least this time. */
  void probeFailed(Reason reason, Duration atLeast, long now) {
    openReason = reason;
    failedProbes++;
    pause(atLeast, now);
  }

  private void pause(Duration atLeast, long now) {
    long pause = PAUSES.pauseAfter(Math.min(failedProbes + 1, 10), random).toNanos();
    probeAt = now + Math.max(pause, atLeast.toNanos());
    askedToWait = !atLeast.isZero();
  }
}
