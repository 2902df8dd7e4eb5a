package io.posthorn.core.bus;

import io.posthorn.core.connector.Classifier;
import io.posthorn.core.connector.Outcome;

/** Reports why a transaction of handlers was rolled back, or may have been. */
final class TransactionFailure extends Exception {
  private static final long serialVersionUID = 1L;

  enum Kind {
    /** A handler, or what it wrote, is at fault. */
    HANDLER,
    /** The transaction conflicted with another one. An immediate retry may succeed. */
    CONFLICT,
    /** The connection was lost; usually not a message's fault, but see LostConnectionSuspects. */
    LOST,
    /** The database is at fault, and no message is. */
    DATABASE
  }

  private final Kind kind;
  private final int index;
  private final boolean blamed;

  /** Names the message at fault by its index; −1 if it is unknown. */
  TransactionFailure(Kind kind, int index, Throwable cause) {
    this(kind, index, cause, false);
  }

  private TransactionFailure(Kind kind, int index, Throwable cause, boolean blamed) {
    // No text: building one from the cause could fail.
    super(null, cause);
    this.kind = kind;
    this.index = index;
    this.blamed = blamed;
  }

  /** Returns this failure as the fault of the handler, although it looks like an outage. */
  TransactionFailure ofHandler() {
    return new TransactionFailure(Kind.HANDLER, index, reason(), true);
  }

  /** Returns what this failure means for the message. */
  Outcome outcome(Classifier classifier) {
    Outcome outcome = classifier.classify(reason());
    return blamed && outcome instanceof Outcome.Failed failed
        ? new Outcome.Failed(failed.reason(), failed.retryAfter(), true)
        : outcome;
  }

  Kind kind() {
    return kind;
  }

  int index() {
    return index;
  }

  Throwable reason() {
    Throwable cause = getCause();
    return cause == null ? this : cause;
  }
}
