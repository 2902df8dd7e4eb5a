package io.posthorn.core.relay;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.observe.Event;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Delivery;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Tells how old a message is, and whether too old to be sent. Its age at the claim is the
 * database's word; the time it has spent in this memory since is added, which may be long behind an
 * open breaker.
 */
record Expiry(Destination destination) {

  /** The age that it may have and has passed; none = it may be sent. */
  @Nullable Duration passed(TrackedDelivery tracked, long now) {
    Duration limit = destination.notAfter(tracked.delivery.message().type());
    if (limit == null) {
      return null;
    }
    return age(tracked, now).compareTo(limit) > 0 ? limit : null;
  }

  /** What observers hear of an answer. */
  Event.Answered answered(TrackedDelivery tracked, Outcome outcome, long now) {
    boolean sent = outcome instanceof Outcome.Sent;
    Duration took = Duration.ofNanos(now - tracked.startedAt);
    return new Event.Answered(destination.name(), tracked.delivery, sent, took, age(tracked, now));
  }

  private static Duration age(TrackedDelivery tracked, long now) {
    return ageAtClaim(tracked.delivery, tracked.batch.logBatch)
        .plusNanos(tracked.batch.inMemoryFor(now));
  }

  private static Duration ageAtClaim(Delivery delivery, @Nullable Batch batch) {
    if (batch == null) {
      return delivery.age();
    }
    Instant from = delivery.recordedAt();
    Instant notBefore = delivery.message().notBefore();
    return Duration.between(
        notBefore != null && notBefore.isAfter(from) ? notBefore : from, batch.claimedAt());
  }
}
