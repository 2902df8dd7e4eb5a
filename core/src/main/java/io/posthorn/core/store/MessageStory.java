package io.posthorn.core.store;

import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageState;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message, its state with each of its destinations, and its history.
 *
 * @param message the message as it is stored; its payload is encrypted if {@code cipherKey} is set
 * @param recordedAt when the message was stored, by the database's clock
 * @param requeuedFrom the id that the message had before it was requeued under this one
 * @param before the previous message of its key; null if the log no longer has it
 * @param after the next message of its key; null if there is none
 * @param deliveries one per destination that wants the message, or has dealt with it
 */
public record MessageStory(
    Message message,
    long seq,
    Instant recordedAt,
    @Nullable String cipherKey,
    @Nullable UUID requeuedFrom,
    @Nullable Neighbour before,
    @Nullable Neighbour after,
    List<DeliveryStory> deliveries) {

  /** Another message of the same key. */
  public record Neighbour(UUID id, long seq, String type, Instant recordedAt) {}

  /**
   * The state of the message with one destination.
   *
   * @param attempts the recorded attempts; a first attempt that succeeds is not recorded
   * @param nextAttemptAt when the message may be tried next, if it is parked and has a time
   * @param lockedUntil when the lease of the relay that has the message in flight ends
   * @param waiting what the message waits for, if it is parked
   * @param lastError the last error
   * @param sentAt when it was sent
   * @param deadReason the reason code of the dead letter
   * @param requeuedAs the new id, if the message was requeued under another one. The other
   *     components then describe the message under its new id, and {@code history} starts with the
   *     attempts under the old one
   */
  public record DeliveryStory(
      String destination,
      MessageState state,
      int attempts,
      @Nullable Instant nextAttemptAt,
      @Nullable Instant lockedUntil,
      @Nullable Waiting waiting,
      @Nullable String lastError,
      @Nullable Instant sentAt,
      @Nullable String deadReason,
      @Nullable UUID requeuedAs,
      List<Attempt> history) {}

  /** One recorded attempt. */
  public record Attempt(
      int number, Instant at, String outcome, @Nullable String reason, @Nullable String error) {}
}
