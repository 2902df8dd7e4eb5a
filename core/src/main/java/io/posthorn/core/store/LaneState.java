package io.posthorn.core.store;

import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What the database said about a lane at a claim or a settle.
 *
 * @param steered what people said about the destination
 * @param dueIn until the next parked message may be tried; none = none is parked or all wait for
 *     something else
 * @param head how far the log reached
 * @param progress the newest stored progress
 */
public record LaneState(SteeringState steered, @Nullable Duration dueIn, Head head, UUID progress) {
  /** A person stopped the destination. */
  public boolean paused() {
    return steered.paused();
  }

  /** A person's limit on the destination; none = the configured one. */
  public @Nullable Double ratePerSecond() {
    return steered.ratePerSecond();
  }
}
