package io.posthorn.core.operate.steering;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The status of a destination. Messages, keys and letters are counted up to {@link #MOST_COUNTED},
 * so the answer is quick however many there are.
 *
 * @param pause who paused the destination, or everything; null if it is not paused
 * @param pausedTypes the types that are paused for it
 * @param pausedKeys the number of keys that are paused for it
 * @param ratePerSecond the rate that a person has set in place of the configured one
 * @param rewoundBy the operation that is rewinding it; nothing new is sent until the operation ends
 * @param relay the live relay that serves it; null if no relay does
 * @param breaker why it does not work, as its relay reports it; null if it works
 * @param parked the number of messages that wait outside the log
 * @param heldKeys the number of keys that wait for a person, behind a dead letter
 * @param dead the number of dead letters that wait for a person
 */
public record DestinationStatus(
    String name,
    @Nullable Pause pause,
    List<String> pausedTypes,
    long pausedKeys,
    @Nullable Double ratePerSecond,
    @Nullable UUID rewoundBy,
    @Nullable String relay,
    @Nullable String breaker,
    long parked,
    long heldKeys,
    long dead) {
  /** A count of this value means this many or more. */
  public static final int MOST_COUNTED = 10_000;
}
