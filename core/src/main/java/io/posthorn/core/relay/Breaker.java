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
 * The automatic stop of a destination. It opens when the destination says it is unavailable, or
 * when so many different keys failed in a row without one success that the messages cannot all be
 * at fault. While it is open a single message is tried now and then; the first of these that gets
 * an answer which only a working destination gives closes it.
 *
 * <p>Answers arrive in another order than their calls began. What counts here is when a call began:
 * a success says nothing about the time after its call began.
 */
final class Breaker {
  private static final RetryPolicy PAUSES =
      RetryPolicy.DEFAULT.backoff(Duration.ofMillis(200), Duration.ofSeconds(15));

  private final int afterKeys;
  private final RandomGenerator random;

  /** Keys that failed; none whose call began before a later success did. */
  private final Map<Object, Failure> failedInARow = new HashMap<>();

  /** A call that failed; {@code counts} if it may be the destination's fault. */
  private record Failure(long began, boolean counts) {}

  private @Nullable Reason openReason;
  private int failedProbes;
  private long probeAt;
  private boolean askedToWait;
  private boolean wasOpened;
  private long openedAt;
  private boolean hasWorked;

  /** When the last successful calls began, as many as keys must fail to open it. */
  private final Deque<Long> lastWorked = new ArrayDeque<>();

  private long workedFrom;

  Breaker(int afterKeys, RandomGenerator random) {
    this.afterKeys = afterKeys;
    this.random = random;
  }

  boolean isOpen() {
    return openReason != null;
  }

  /** Why it is open. */
  @Nullable Reason openReason() {
    return openReason;
  }

  /** How many probes have failed since it opened. */
  int failedProbes() {
    return failedProbes;
  }

  /** Whether a call that began then, or later, showed that the destination works. */
  boolean workedSince(long time) {
    return hasWorked && workedFrom - time >= 0;
  }

  /** Whether as many calls did as keys must fail to open it. */
  boolean workedOftenSince(long time) {
    return lastWorked.size() >= afterKeys
        && lastWorked.stream().allMatch(began -> began - time >= 0);
  }

  long probeAt() {
    return probeAt;
  }

  /**
   * The destination gave an answer that only a working one gives, to a call that began then; true
   * if that closed the breaker. A call that was under way when it opened does not close it, but is
   * a reason to try the next at once.
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
   * A call of this key failed; true if so many did in a row that the breaker should open.
   *
   * @param counts not, if it is known that the key fails while others are sent
   */
  boolean failed(Object key, long startedAt, boolean counts) {
    if (!manyFailed() && !workedSince(startedAt)) {
      failedInARow.put(key, new Failure(startedAt, counts));
    }
    return manyFailed();
  }

  /** So many different keys have failed since one worked that it cannot be the messages. */
  boolean manyFailed() {
    return failedInARow.values().stream().filter(Failure::counts).count() >= afterKeys;
  }

  /** Others have failed since one worked. */
  boolean othersFailed(Object key) {
    return failedInARow.size() > (failedInARow.containsKey(key) ? 1 : 0);
  }

  /** Since when it is open, if it is. */
  long openedAt() {
    return openedAt;
  }

  /** Whether it opened while this was under way, and may have closed again. */
  boolean openedDuring(TrackedDelivery call) {
    return wasOpened && openedAt - call.startedAt > 0;
  }

  /**
   * The destination is at fault; true if that opened the breaker. The first try comes not before
   * {@code atLeast} has passed.
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

  /** The message that was tried while it was open failed: the next try comes later. */
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
