package io.posthorn.core.operate.restore;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What you need to know before you decide about a restored or copied database.
 *
 * @param environment the environment that the database belongs to; null if no relay ever started
 * @param server the identifier of the server it comes from; null if no relay ever started
 * @param actualServer the identifier of the server it is on now
 * @param relays the relays that run on it; it cannot be adopted until they are stopped
 * @param destinations what is stored for each destination
 */
public record Adoption(
    @Nullable String environment,
    @Nullable Long server,
    long actualServer,
    List<String> relays,
    List<Share> destinations) {

  /**
   * What is stored for one destination.
   *
   * @param undelivered the messages of the log that are undelivered by the stored progress
   * @param oldest when the first of them was recorded
   * @param newest when the last of them was recorded
   * @param parked the parked messages. {@link Adopt#AS_SENT} makes them dead letters; otherwise
   *     they stay parked
   * @param dead the dead letters that wait for a person; they stay
   */
  public record Share(
      String destination,
      long undelivered,
      @Nullable Instant oldest,
      @Nullable Instant newest,
      long parked,
      long dead) {}
}
