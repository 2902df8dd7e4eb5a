package io.posthorn.core.store;

/** What an error of the database means for the transaction in which it occurred. */
public enum ErrorMeaning {
  /**
   * The connection broke, or the server is stopping or starting. If the error occurred during
   * COMMIT, the transaction may have been committed. Another connection may succeed.
   */
  CONNECTION_LOST,

  /**
   * Another transaction was in the way: a deadlock or a serialization failure. Nothing was
   * committed, and the same transaction may succeed when it is repeated at once.
   */
  CONFLICT,

  /** A lock was not available in time. Nothing was committed; another transaction holds it. */
  LOCK_TIMEOUT,

  /**
   * The server, its resources or the access to it are at fault, and no message is. The same
   * transaction may succeed later.
   */
  UNAVAILABLE,

  /**
   * What the transaction wrote is at fault: its data, a constraint, a trigger, or a transaction
   * that had failed before. The same transaction would fail again.
   */
  REFUSED,

  /**
   * The store draws no conclusion: a statement that is wrong or was cancelled, a code chosen by the
   * author of a trigger, an error without a code. The caller decides by what it was doing.
   */
  UNKNOWN
}
