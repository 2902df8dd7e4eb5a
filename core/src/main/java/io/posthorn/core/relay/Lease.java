package io.posthorn.core.relay;

import java.time.Duration;

/**
 * How long this relay may trust its own hold, by its own steady clock. It counts from the moment
 * before the heartbeat was asked for, so it always ends before the database's lease does.
 *
 * <p>One for each time the relay joined: a lane that was taken under a lease that has run out must
 * not come to life again when the relay joins anew.
 */
final class Lease {
  private volatile long until;

  Lease(long now) {
    this.until = now;
  }

  void renewed(long askedAt, Duration lease) {
    until = askedAt + lease.toNanos();
  }

  /** Whether a send that starts now would be answered, or timed out, while the hold lasts. */
  boolean allows(long now, Duration sendTimeout) {
    return until - now > sendTimeout.toNanos();
  }

  boolean expired(long now) {
    return until - now <= 0;
  }
}
