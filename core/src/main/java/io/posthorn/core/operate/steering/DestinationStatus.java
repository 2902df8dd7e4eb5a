package io.posthorn.core.operate.steering;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How a destination stands. Messages, keys and letters are counted up to {@link #MOST_COUNTED}, so
 * that it is told soon however many there are.
 *
 * @param pause who paused it, or everything; none = it is not paused
 * @param pausedTypes types of which it gets nothing now
 * @param pausedKeys how many keys are paused for it
 * @param ratePerSecond the limit a person set, in place of the configured one
 * @param rewoundBy the operation that rewinds it: nothing new goes to it before that is done
 * @param relay the live relay that serves it; none = nobody does
 * @param breaker why it does not answer, as its relay sees it; none = it answers
 * @param parked how many messages wait outside the log
 * @param heldKeys how many keys wait for a person, behind a dead letter
 * @param dead how many dead letters wait for a person
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
  public static final int MOST_COUNTED = 10_000;
}
