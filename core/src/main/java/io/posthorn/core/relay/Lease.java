package io.posthorn.core.relay;

import java.time.Duration;

/**
 * Until when this relay may send, by its own steady clock. It counts from the moment before the
 * heartbeat was sent, so it always ends before the lease in the database does.
 *
 * <p>A relay that joins again gets a new lease object. A lane that was taken under the expired
 * lease keeps the old one, so that it never sends again.
 */
final class Lease {
  private volatile long until;

  Lease(long now) {
    this.until = now;
  }

  void renewed(long askedAt, Duration lease) {
    until = askedAt + lease.toNanos();
  }

  /** Whether a send that starts now is answered or times out before the lease ends. */
  boolean allows(long now, Duration sendTimeout) {
    return until - now > sendTimeout.toNanos();
  }

  boolean expired(long now) {
    return until - now <= 0;
  }
}
