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

  /** May go better next time: network, timeout, 5xx. Retried after a backoff, up to a limit. */
  static Outcome failed(Reason reason) {
    return new Failed(reason, Duration.ZERO);
  }

  /** The same, and the receiver asked not to be tried again before so much time has passed. */
  static Outcome failed(Reason reason, Duration retryAfter) {
    return new Failed(reason, retryAfter);
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

  /** The backoff decides when it is tried again, but not before {@code retryAfter}. */
  record Failed(Reason reason, Duration retryAfter) implements Outcome {}

  record Rejected(Reason reason) implements Outcome {}

  /** It is tried again and again, or, if it is gone for good, only once a person says so. */
  record Unavailable(Reason reason, boolean forGood) implements Outcome {}
}
