package io.posthorn.core.inbox;

/** What a receipt says about its message. */
public enum ReceiptState {
  /** Not handled: it is parked, waits, or is a dead letter. */
  STORED,
  /** Handled: it has taken effect. */
  HANDLED,
  /** Skipped, because a newer message of its key was handled before and the latest wins. */
  SKIPPED_STALE,
  /** A person allowed it to be handled again when it arrives again. */
  AGAIN
}
