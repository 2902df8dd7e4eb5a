package io.posthorn.core.operate.id;

/** What an id names. */
public enum IdKind {
  /** A message that is in the log, parked or dead. */
  MESSAGE,
  /** A dead letter. */
  LETTER,
  /** An operation, which is a bulk action. */
  OPERATION
}
