package io.posthorn.core.operate.steering;

import io.posthorn.core.message.Key;
import io.posthorn.core.store.Waiting;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A parked message.
 *
 * @param waiting what it waits for
 * @param nextAttemptAt when it may be tried; none = when those before it are gone, or a person lets
 *     it go
 * @param held its key waits for a person, behind a dead letter
 * @param keyPaused its key waits for a person, who paused it
 * @param behind how many wait behind it; at most {@link #MOST_BEHIND} are counted
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
    boolean keyPaused,
    long behind) {
  public static final int MOST_BEHIND = 1_000;
}
