package io.posthorn.core.operate.restore;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a person must know who decides about a restored or copied database.
 *
 * @param environment it belongs to; null if no relay has ever started
 * @param server the identifier of the server it comes from; null likewise
 * @param actualServer the identifier of the server it is on
 * @param relays that are running on it; while there are any it cannot be adopted
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
   * @param undelivered messages of the log, by the stored progress
   * @param oldest when the first of them was recorded
   * @param newest when the last of them was recorded
   * @param parked messages beside the log; as sent they become dead letters, else they stay
   * @param dead letters that wait for a person; they stay as well
   */
  public record Share(
      String destination,
      long undelivered,
      @Nullable Instant oldest,
      @Nullable Instant newest,
      long parked,
      long dead) {}
}
