package io.posthorn.core.operate.deadletter;

import io.posthorn.core.message.Key;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message that could not be delivered to one destination, without its payload.
 *
 * @param id the id of the dead letter. A message has one dead letter per destination, and another
 *     one each time it dies again
 * @param reason why it is dead, for example {@code RETRY_EXHAUSTED}
 * @param lastReason why its last attempt failed, for example {@code HTTP_500}
 * @param error the text of the last failure
 * @param attempts the number of all attempts
 * @param fingerprint the fingerprint of the cause. Letters with the same one most likely need the
 *     same fix
 * @param payloadBytes the size of the payload
 * @param requeuedAt when it was requeued or sent once
 * @param requeuedAs the id it was requeued under
 * @param outcome the result of the requeue; null until it is known
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

  /** The states of a dead letter. */
  public enum State {
    /** It waits for a person. */
    DEAD,
    /** It was requeued; {@link DeadLetter#outcome} shows the result. */
    REQUEUED,
    /** It was sent once by hand. */
    SENT,
    /** A person gave it up. It is kept as evidence. */
    DISCARDED
  }

  /** The result of a rescue. */
  public enum Outcome {
    /** The message was sent. */
    SENT,
    /** The consumer skipped it, because a newer message of its key had been handled. */
    SKIPPED_STALE,
    /** It died again, and became another dead letter. */
    DEAD
  }
}
