package io.posthorn.core.bus;

/** Why a transaction of handlers was rolled back, or may have been. */
final class TransactionFailure extends Exception {
  private static final long serialVersionUID = 1L;

  enum Kind {
    /** A handler, or what it wrote, is at fault. */
    HANDLER,
    /** Another transaction was in the way; at once it may go better. */
    CONFLICT,
    /** The connection was lost on the way: as a rule the database's doing, but see Suspects. */
    LOST,
    /** The database is at fault: nobody's message. */
    DATABASE
  }

  private final Kind kind;
  private final int index;

  /** Which message is at fault, by its index; −1 if that is not known. */
  TransactionFailure(Kind kind, int index, Throwable cause) {
    // Without a text: made of the cause's, it could fail.
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
