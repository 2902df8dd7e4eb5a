package io.posthorn.core.connector;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What came of one attempt. A failed delivery is a value, not an exception.
 *
 * <p>Only an explicit positive acknowledgement of that very message is {@link Sent}; a missing
 * answer is not.
 */
public sealed interface Outcome {
  /** The receiver has it. */
  Outcome SENT = new Sent(false);

  /**
   * The receiver has it and made nothing of it: it had a younger one before, and the latest wins.
   */
  Outcome STALE = new Sent(true);

  /**
   * May go better next time: network, timeout, 5xx. Retried after a backoff. The destination may be
   * at fault: the attempt counts only if another message shows that it works.
   */
  static Outcome failed(Reason reason) {
    return new Failed(reason, Duration.ZERO, false);
  }

  /** The same, and the receiver asked not to be tried again before so much time has passed. */
  static Outcome failed(Reason reason, Duration retryAfter) {
    return new Failed(reason, retryAfter, false);
  }

  /**
   * May go better next time, and it is the message or the code that handles it which is at fault: a
   * handler threw, the receiver answered 409. The attempt counts, unless so many others fail that
   * it must be the destination.
   */
  static Outcome failedByMessage(Reason reason) {
    return new Failed(reason, Duration.ZERO, true);
  }

  /** Will never go well: the message itself is at fault. Dead at once. */
  static Outcome rejected(Reason reason) {
    return new Rejected(reason);
  }

  /** The destination is at fault: down, credentials, missing topic. It waits; no attempt counts. */
  static Outcome unavailable(Reason reason) {
    return new Unavailable(reason, false);
  }

  /**
   * The destination says that it is gone for good. It is paused, and waits for a person who resumes
   * it; no attempt counts.
   */
  static Outcome gone(Reason reason) {
    return new Unavailable(reason, true);
  }

  /** Why not; none if it was sent. */
  @Nullable Reason reason();

  record Sent(boolean stale) implements Outcome {
    @Override
    public @Nullable Reason reason() {
      return null;
    }
  }

  /**
   * The backoff decides when it is tried again, but not before {@code retryAfter}.
   *
   * @param byMessage with no other to compare it with, the message is at fault
   */
  record Failed(Reason reason, Duration retryAfter, boolean byMessage) implements Outcome {}

  record Rejected(Reason reason) implements Outcome {}

  /** It is tried again and again, or, if it is gone for good, only once a person says so. */
  record Unavailable(Reason reason, boolean forGood) implements Outcome {}
}
