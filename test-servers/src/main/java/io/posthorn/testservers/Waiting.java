package io.posthorn.testservers;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for conditions, never for time to pass. */
public final class Waiting {
  private static final long POLL_MILLIS = 5;

  private Waiting() {}

  /**
   * Returns as soon as the condition holds.
   *
   * @param what completes the failure's sentence "waited for …", for example {@code "the standby to
   *     catch up"}
   * @throws TestServerException if it does not hold within the limit, or the thread is interrupted
   */
  public static void until(String what, Duration limit, BooleanSupplier condition) {
    if (!holdsWithin(limit, condition)) {
      throw new TestServerException("waited " + limit.toMillis() + " ms in vain for " + what);
    }
  }

  /** Returns whether the condition became true within the limit. */
  static boolean holdsWithin(Duration limit, BooleanSupplier condition) {
    long deadline = System.nanoTime() + limit.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline >= 0) {
        return false;
      }
      try {
        Thread.sleep(POLL_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new TestServerException("interrupted while waiting", e);
      }
    }
    return true;
  }
}
