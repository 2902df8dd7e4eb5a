package io.posthorn.core.connector;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The result of one attempt to deliver a message. A failed delivery is a value, not an exception.
 *
 * <p>Return {@link #SENT} only after an explicit positive acknowledgement of this very message. A
 * missing answer is not an acknowledgement.
 */
public sealed interface Outcome {
  /** The receiver has accepted the message. */
  Outcome SENT = new Sent(false);

  /** The receiver has accepted the message and ignored it, because it had a newer one before. */
  Outcome STALE = new Sent(true);

  /**
   * The attempt failed and may succeed later: network error, timeout, HTTP 5xx. The message is
   * retried after a backoff. The destination may be at fault, so the attempt counts only if another
   * message proves that the destination works.
   */
  static Outcome failed(Reason reason) {
    return new Failed(reason, Duration.ZERO, false);
  }

  /**
   * As {@link #failed(Reason)}, and the receiver asked for no retry before this time has passed.
   */
  static Outcome failed(Reason reason, Duration retryAfter) {
    return new Failed(reason, retryAfter, false);
  }

  /**
   * The attempt failed and may succeed later, and the fault lies with the message or its handler: a
   * handler threw, or the receiver answered HTTP 409. The attempt counts, unless enough other
   * messages fail to show that the destination is at fault.
   */
  static Outcome failedByMessage(Reason reason) {
    return new Failed(reason, Duration.ZERO, true);
  }

  /** The message can never be delivered. It becomes a dead letter at once. */
  static Outcome rejected(Reason reason) {
    return new Rejected(reason);
  }

  /**
   * The destination is at fault: it is down, refuses the credentials, or lacks the topic. All its
   * messages wait, and no attempt counts.
   */
  static Outcome unavailable(Reason reason) {
    return new Unavailable(reason, false);
  }

  /**
   * The destination reports that it is gone for good. It is paused until a person resumes it, and
   * no attempt counts.
   */
  static Outcome gone(Reason reason) {
    return new Unavailable(reason, true);
  }

  /** Why the message was not sent; null if it was. */
  @Nullable Reason reason();

  /**
   * The receiver has the message.
   *
   * @param stale whether the receiver ignored it, because it had a newer one before
   */
  record Sent(boolean stale) implements Outcome {
    @Override
    public @Nullable Reason reason() {
      return null;
    }
  }

  /**
   * The message is retried after the backoff.
   *
   * @param retryAfter the least time until the next attempt
   * @param byMessage whether the message counts as the one at fault if there is no other message to
   *     compare it with
   */
  record Failed(Reason reason, Duration retryAfter, boolean byMessage) implements Outcome {}

  /** The message becomes a dead letter. */
  record Rejected(Reason reason) implements Outcome {}

  /**
   * The destination waits.
   *
   * @param forGood whether it is paused until a person resumes it; otherwise it is retried again
   *     and again
   */
  record Unavailable(Reason reason, boolean forGood) implements Outcome {}
}
