package io.posthorn.core.store;

import io.posthorn.core.connector.Reason;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One change of a message that a settle writes. A message of the log that was sent needs no move:
 * the progress covers it.
 */
public sealed interface Move {
  /** The message that the move is about. */
  Delivery delivery();

  /**
   * A parked message was sent.
   *
   * @param stale whether the receiver ignored it, because it had a newer one before
   */
  record Sent(Delivery delivery, boolean stale) implements Move {
    /** The receiver did not ignore the message. */
    public Sent(Delivery delivery) {
      this(delivery, false);
    }
  }

  /**
   * The message is parked: it waits outside the log.
   *
   * @param attempts the attempts made so far, including the current one
   * @param delay the time until it may be tried; ignored while it waits for its turn
   * @param reason why the attempt failed; null if there was no attempt
   */
  record Park(
      Delivery delivery, Waiting waiting, int attempts, Duration delay, @Nullable Reason reason)
      implements Move {}

  /**
   * The message becomes a dead letter.
   *
   * @param code the reason code of the dead letter
   * @param reason why the last attempt failed
   */
  record Die(Delivery delivery, int attempts, String code, Reason reason, AfterDead afterDead)
      implements Move {}

  /**
   * The message becomes a dead letter that is written from the relay's memory. The relay uses it if
   * the message's row cannot be read, or if the database refuses an ordinary {@link Die} or {@link
   * Park}. No attempt is recorded.
   */
  record Bury(Delivery delivery, int attempts, Reason reason, AfterDead afterDead)
      implements Move {}

  /**
   * A parked message was sent, but the database refuses what {@link Sent} writes. Only the parked
   * row is removed.
   */
  record Forget(Delivery delivery) implements Move {}
}
