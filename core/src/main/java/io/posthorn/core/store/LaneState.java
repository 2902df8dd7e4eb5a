package io.posthorn.core.store;

import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What the database said about a lane at a claim or a settle.
 *
 * @param paused a person stopped the destination
 * @param ratePerSecond a person's limit on the destination; none = the configured one
 * @param dueIn until the next parked message may be tried; none = none is parked or all wait for
 *     something else
 * @param head how far the log reached
 * @param progress the newest stored progress
 */
public record LaneState(
    boolean paused,
    @Nullable Double ratePerSecond,
    @Nullable Duration dueIn,
    Head head,
    UUID progress) {}
