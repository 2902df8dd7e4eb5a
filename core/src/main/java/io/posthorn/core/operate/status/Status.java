package io.posthorn.core.operate.status;

import io.posthorn.core.operate.steering.DestinationStatus;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How everything stands. It is cheap to ask for, however much waits.
 *
 * @param relays those whose lease has not run out, oldest first
 */
public record Status(List<Backlog> destinations, List<LiveRelay> relays, Log log) {
  /**
   * A destination, and what waits for it in the log; what is parked is in its status.
   *
   * @param pending how many messages of the log it has not settled
   * @param estimated there are too many to count, so {@code pending} is taken from a part of them
   * @param oldestPending when the oldest of them was recorded
   */
  public record Backlog(
      DestinationStatus status, long pending, boolean estimated, @Nullable Instant oldestPending) {}

  /**
   * A relay at work.
   *
   * @param lanes how many it holds
   */
  public record LiveRelay(
      String name, String application, Instant startedAt, Instant expiresAt, int lanes) {}

  /**
   * The log itself.
   *
   * @param last the newest number that was drawn
   * @param oldest when the oldest message in it was recorded; none = it is empty
   * @param bytes what it takes up on disk, with its indexes
   */
  public record Log(long last, @Nullable Instant oldest, long bytes) {}
}
