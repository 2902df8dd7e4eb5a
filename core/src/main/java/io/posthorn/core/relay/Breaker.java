package io.posthorn.core.relay;

import io.posthorn.core.connector.Reason;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The automatic stop of a destination. It opens when the destination says it is unavailable, or
 * when so many different keys failed in a row without one success that the messages cannot all be
 * at fault. While it is open a single message is tried now and then; the first answer that only a
 * working destination gives closes it.
 */
final class Breaker {
  private static final RetryPolicy PAUSES =
      RetryPolicy.DEFAULT.backoff(Duration.ofMillis(200), Duration.ofSeconds(15));

  private final int afterKeys;
  private final RandomGenerator random;
  private final Set<Object> failedInARow = new HashSet<>();
  private @Nullable Reason openReason;
  private int probes;
  private long probeAt;
  private boolean wasOpened;
  private long openedAt;
  private long successes;
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
    return probes;
  }

  /**
   * How many answers of a working destination there were so far; tells what happened in between.
   */
  long successes() {
    return successes;
  }

  /**
   * Whether the destination worked for another after it failed for this one. An answer that was
   * only under way then, while the receiver went down, does not show that it works.
   */
  boolean workedSince(Slot suspect) {
    return suspect.suspectedAfter >= 0
        && successes > suspect.suspectedAfter
        && workedFrom - suspect.suspectedAt >= 0;
  }

  long probeAt() {
    return probeAt;
  }

  /**
   * The destination gave an answer that only a working one gives, to what was sent then; true if
   * that closed the breaker.
   */
  boolean worked(long startedAt) {
    workedFrom = successes == 0 || startedAt - workedFrom > 0 ? startedAt : workedFrom;
    successes++;
    failedInARow.clear();
    boolean closes = openReason != null;
    openReason = null;
    probes = 0;
    return closes;
  }

  /** A message of this key failed; true if so many did in a row that the breaker should open. */
  boolean failed(Object key) {
    if (!manyFailed()) {
      failedInARow.add(key);
    }
    return manyFailed();
  }

  /** So many different keys have failed since one worked that it cannot be the messages. */
  boolean manyFailed() {
    return failedInARow.size() >= afterKeys;
  }

  /** Since when it is open, if it is. */
  long openedAt() {
    return openedAt;
  }

  /** Whether it opened while this was under way, and may have closed again. */
  boolean openedDuring(Slot call) {
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
    probes = 0;
    pause(atLeast, now);
    return true;
  }

  /** The message that was tried while it was open failed: the next try comes later. */
  void probeFailed(Reason reason, Duration atLeast, long now) {
    openReason = reason;
    probes++;
    pause(atLeast, now);
  }

  private void pause(Duration atLeast, long now) {
    long pause = PAUSES.pauseAfter(Math.min(probes + 1, 10), random).toNanos();
    probeAt = now + Math.max(pause, atLeast.toNanos());
  }
}
