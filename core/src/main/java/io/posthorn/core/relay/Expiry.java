package io.posthorn.core.relay;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.observe.Event;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Delivery;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Knows how old a message is, and whether it is too old to be sent. The age is the one at the
 * claim, by the database's clock, plus the time the message has spent in memory since. That time
 * can be long behind an open breaker.
 */
record Expiry(Destination destination) {

  /** The age limit that this message has passed; null if it can be sent. */
  @Nullable Duration passed(TrackedDelivery tracked, long now) {
    Duration limit = destination.notAfter(tracked.delivery.message().type());
    if (limit == null) {
      return null;
    }
    return age(tracked, now).compareTo(limit) > 0 ? limit : null;
  }

  /** The event for an answer. */
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
