package io.posthorn.core.store;

import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The state of a lane at a claim or a settle.
 *
 * @param steered how people have steered the destination
 * @param dueIn the time until the next parked message may be tried; null if no message is parked,
 *     or all of them wait for something else
 * @param head how far the log reached
 * @param progress the id of the newest stored progress
 */
public record LaneState(SteeringState steered, @Nullable Duration dueIn, Head head, UUID progress) {
  /** Whether a person has paused the destination. */
  public boolean paused() {
    return steered.paused();
  }

  /** The rate that a person has set for the destination; null if the configured one applies. */
  public @Nullable Double ratePerSecond() {
    return steered.ratePerSecond();
  }
}
