package io.posthorn.core.steering;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How a destination stands.
 *
 * @param pausedAt when a person paused it; none = it is not paused
 * @param ratePerSecond the limit a person set, in place of the configured one
 * @param relay the live relay that serves it; none = nobody does
 * @param breaker why it does not answer, as its relay sees it; none = it answers
 * @param parked how many messages wait outside the log
 * @param heldKeys how many keys wait for a person, behind a dead letter
 * @param dead how many dead letters wait for a person
 */
public record DestinationStatus(
    String name,
    @Nullable Instant pausedAt,
    @Nullable String pausedBy,
    @Nullable String pauseReason,
    @Nullable Double ratePerSecond,
    @Nullable String relay,
    @Nullable String breaker,
    long parked,
    long heldKeys,
    long dead) {}
