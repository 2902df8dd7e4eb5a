package io.posthorn.core.inbox;

/** What the inbox says of a message that arrived. Only {@link #handled} ones go to the handler. */
public enum InboxVerdict {
  /** Never seen; its receipt is written. */
  NEW(true),
  /** Never seen, but a younger one of its key was handled before. Its receipt is written. */
  OUT_OF_ORDER(true),
  /** Never seen, older than what was handled of its key, and the latest wins: so it was noted. */
  SKIPPED_STALE(false),
  /** Handled or stored before. */
  DUPLICATE(false),
  /** Others of its key wait: it was parked behind them. */
  PARKED(false),
  /** Its id belongs to another payload, or is too old to know: it is a dead letter now. */
  DEAD(false),
  /** A person paused the consumer: nothing was done, keep it. */
  PAUSED(false);

  private final boolean handled;

  InboxVerdict(boolean handled) {
    this.handled = handled;
  }

  public boolean handled() {
    return handled;
  }
}
