package io.posthorn.core.inbox;

/**
 * What the inbox decided about a message that arrived. Only messages with a {@link #handled}
 * verdict go to the handler.
 */
public enum InboxVerdict {
  /** Not seen before. Its receipt is written. */
  NEW(true),
  /**
   * Not seen before, but a newer message of its key was already handled. Its receipt is written.
   */
  OUT_OF_ORDER(true),
  /** Not seen before, but skipped: a newer one of its key was handled, and the latest wins. */
  SKIPPED_STALE(false),
  /** It was already handled or stored. */
  DUPLICATE(false),
  /** It was parked, because earlier messages of its key are waiting. */
  PARKED(false),
  /** It became a dead letter: its id belongs to another payload, or is too old to be known. */
  DEAD(false),
  /** Nothing was done, because a person paused the consumer. The caller keeps the message. */
  PAUSED(false);

  private final boolean handled;

  InboxVerdict(boolean handled) {
    this.handled = handled;
  }

  /** Whether the message goes to the handler. */
  public boolean handled() {
    return handled;
  }
}
