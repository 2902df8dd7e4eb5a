package io.posthorn.core.bus;

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

  /** Names the message at fault by its index; −1 if it is unknown. */
  TransactionFailure(Kind kind, int index, Throwable cause) {
    // No text: building one from the cause could fail.
    super(null, cause);
    this.kind = kind;
    this.index = index;
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
