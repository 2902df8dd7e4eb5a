package io.posthorn.core.operate.deadletter;

import io.posthorn.core.message.Key;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message that could not be delivered to one destination, in short.
 *
 * @param id its own; one message has as many as destinations it died for, and one more for each
 *     time it died again
 * @param reason why it is dead, for example {@code RETRY_EXHAUSTED}
 * @param lastReason why its last attempt failed, for example {@code HTTP_500}
 * @param attempts all that were made
 * @param fingerprint of its cause; letters with the same one most likely need the same mending
 * @param payloadBytes how large it is
 * @param requeuedAt when it was requeued, or given to be sent once
 * @param requeuedAs the id it was requeued with
 * @param outcome what came of that; none while it is under way
 */
public record DeadLetter(
    UUID id,
    String destination,
    UUID messageId,
    String type,
    @Nullable Key key,
    State state,
    String reason,
    String lastReason,
    String error,
    int attempts,
    Instant createdAt,
    Instant firstFailedAt,
    Instant lastFailedAt,
    String fingerprint,
    int payloadBytes,
    @Nullable Instant requeuedAt,
    @Nullable UUID requeuedAs,
    @Nullable Outcome outcome,
    @Nullable Instant outcomeAt) {

  /** Where a letter stands. */
  public enum State {
    /** It waits for a person. */
    DEAD,
    /** It is, or was, on its way again. */
    REQUEUED,
    /** It was sent once by hand. */
    SENT,
    /** It will not be sent; the evidence stays. */
    DISCARDED
  }

  /** What came of a rescue. */
  public enum Outcome {
    SENT,
    /** The consumer did not want it any more: a younger one of its key had been handled. */
    SKIPPED_STALE,
    /** It died again, and left another letter. */
    DEAD
  }
}
