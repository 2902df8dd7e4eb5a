package io.posthorn.core.inbox;

/** What a receipt says of its message. */
public enum ReceiptState {
  /** It is parked, waits, or is a dead letter: not handled. */
  STORED,
  /** It took effect. */
  HANDLED,
  /** A younger one of its key was handled before, and the latest wins. */
  SKIPPED_STALE,
  /** A person wants it to be handled again when it comes again. */
  AGAIN
}
