package io.posthorn.core.store;

import io.posthorn.core.message.Message;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One message on its way to one destination.
 *
 * @param seq its place in the log
 * @param recordedAt when it was stored, by the database's clock
 * @param attempts how many attempts were made before
 * @param failingFor the time since its first failed attempt; zero if none has failed
 * @param parked it comes from the parked messages, not from the log
 * @param cipherKey the key its payload is encrypted with, if any
 * @param attemptsBefore how many of the attempts were made before it was requeued; they do not
 *     count against its retries
 * @param once it was requeued for a single attempt
 * @param age the time since it was stored, was to be delivered at the earliest, or was requeued, by
 *     the database's clock at the claim; only of parked ones
 * @param suspectFor the time since it failed first without being blamed, and was neither blamed nor
 *     sent since; zero if that is not so
 */
public record Delivery(
    Message message,
    long seq,
    Instant recordedAt,
    int attempts,
    Duration failingFor,
    boolean parked,
    @Nullable String cipherKey,
    int attemptsBefore,
    boolean once,
    Duration age,
    Duration suspectFor) {

  /** One that was never requeued. */
  public Delivery(
      Message message,
      long seq,
      Instant recordedAt,
      int attempts,
      Duration failingFor,
      boolean parked,
      @Nullable String cipherKey) {
    this(
        message,
        seq,
        recordedAt,
        attempts,
        failingFor,
        parked,
        cipherKey,
        0,
        false,
        Duration.ZERO,
        Duration.ZERO);
  }
}
