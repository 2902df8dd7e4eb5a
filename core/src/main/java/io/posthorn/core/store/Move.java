package io.posthorn.core.store;

import io.posthorn.core.connector.Reason;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One change that a settle writes down. A message of the log that was sent needs none: the progress
 * says so.
 */
public sealed interface Move {
  Delivery delivery();

  /**
   * A parked message was sent.
   *
   * @param stale the receiver made nothing of it, because it had a younger one before
   */
  record Sent(Delivery delivery, boolean stale) implements Move {
    public Sent(Delivery delivery) {
      this(delivery, false);
    }
  }

  /**
   * The message waits outside the log.
   *
   * @param attempts made so far, this one included
   * @param delay until it may be tried; ignored while it waits for its turn
   * @param reason why the attempt failed; none if there was no attempt
   */
  record Park(
      Delivery delivery, Waiting waiting, int attempts, Duration delay, @Nullable Reason reason)
      implements Move {}

  /**
   * The message is dead.
   *
   * @param code the reason code of the dead letter
   * @param reason of the last attempt
   */
  record Die(Delivery delivery, int attempts, String code, Reason reason, AfterDead afterDead)
      implements Move {}

  /**
   * The message is dead, and its letter is made of what the relay holds in its memory: its row
   * cannot be read, or what an ordinary {@link Die} or {@link Park} writes is refused. No attempt
   * is noted.
   */
  record Bury(Delivery delivery, int attempts, Reason reason, AfterDead afterDead)
      implements Move {}

  /** A parked message was sent, and what {@link Sent} writes is refused: only its row goes. */
  record Forget(Delivery delivery) implements Move {}
}
