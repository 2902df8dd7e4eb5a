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
 * @param nextAttemptAt when it may be tried; null if it waits for earlier messages of its key, or
 *     for a person
 * @param held whether a dead letter holds its key until a person decides
 * @param keyPaused whether a person has paused its key
 * @param behind the number of messages behind it; at most {@link #MOST_BEHIND} are counted
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
  /** A count of this value means this many or more. */
  public static final int MOST_BEHIND = 1_000;
}
