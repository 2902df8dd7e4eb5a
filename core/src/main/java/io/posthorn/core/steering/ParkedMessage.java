package io.posthorn.core.steering;

import io.posthorn.core.message.Key;
import io.posthorn.core.store.Waiting;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The first parked message of a key, which the others of the key wait for; or one without a key.
 *
 * @param waiting what it waits for
 * @param nextAttemptAt when it may be tried; none = when a person lets its key go
 * @param held its key waits for a person, behind a dead letter
 * @param behind how many wait behind it
 */
public record ParkedMessage(
    UUID messageId,
    String type,
    @Nullable Key key,
    Waiting waiting,
    int attempts,
    @Nullable Instant nextAttemptAt,
    @Nullable String lastReason,
    @Nullable String lastError,
    boolean held,
    long behind) {}
