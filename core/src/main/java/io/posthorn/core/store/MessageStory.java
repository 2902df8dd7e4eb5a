package io.posthorn.core.store;

import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageState;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Where a message stands with each of its destinations, and how it got there.
 *
 * @param message as it is stored: its payload is encrypted, if {@code cipherKey} is set
 * @param recordedAt when it was stored, by the database's clock
 * @param requeuedFrom the id that it had before it was requeued under this one
 * @param before the message before it in the order of its key, as far as the log still has it
 * @param after the message after it
 * @param deliveries one for each destination that wants it, or had to do with it
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
   * The message and one destination.
   *
   * @param attempts made so far, as far as they were written down: one that went well at once is
   *     none
   * @param nextAttemptAt when it may be tried, if it is parked and has a time
   * @param lockedUntil when the hold of the relay that has it in flight ends
   * @param waiting what it waits for, if it is parked
   * @param lastError what went wrong last
   * @param deadReason why it is dead
   * @param requeuedAs the id it was requeued under, if that is another one; the rest tells what
   *     came of it under that id, and {@code history} begins with the attempts before
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

  /** One attempt that was written down. */
  public record Attempt(
      int number, Instant at, String outcome, @Nullable String reason, @Nullable String error) {}
}
