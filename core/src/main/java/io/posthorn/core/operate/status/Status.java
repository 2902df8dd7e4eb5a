package io.posthorn.core.operate.status;

import io.posthorn.core.operate.steering.DestinationStatus;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The status of all destinations, relays and the log. It is cheap to read, however much waits.
 *
 * @param relays the relays whose lease has not run out, oldest first
 */
public record Status(List<Backlog> destinations, List<LiveRelay> relays, Log log) {
  /**
   * A destination, and the messages that wait for it in the log. Its status counts the parked
   * messages.
   *
   * @param pending the number of messages of the log that it has not settled
   * @param estimated whether {@code pending} is an estimate, because there are too many to count
   * @param oldestPending when the oldest of these messages was recorded
   */
  public record Backlog(
      DestinationStatus status, long pending, boolean estimated, @Nullable Instant oldestPending) {}

  /**
   * A live relay.
   *
   * @param expiresAt when its lease runs out unless it is extended
   * @param lanes the number of lanes it holds
   */
  public record LiveRelay(
      String name, String application, Instant startedAt, Instant expiresAt, int lanes) {}

  /**
   * The log itself.
   *
   * @param last the newest sequence number that was drawn
   * @param oldest when its oldest message was recorded; null if it is empty
   * @param bytes its size on disk, with its indexes
   */
  public record Log(long last, @Nullable Instant oldest, long bytes) {}
}
