package io.posthorn.core.operate.operation;

/** What an operation does with each message or dead letter that it selects. */
public enum Action {
  /** Requeues dead letters under their ids. */
  REQUEUE,
  /** Requeues dead letters under new ids, so receivers treat them as new messages. */
  REQUEUE_NEW_ID,
  /** Tries dead letters once. A letter that fails is dead again at once. */
  SEND_ONCE,
  /** Gives dead letters up. They are kept as evidence. */
  DISCARD,
  /** Sends messages again that were sent to one destination. */
  RESEND,
  /**
   * Sends one destination all messages of its routes since a time, whether they were sent or not,
   * before any message that it has not received yet.
   */
  REWIND;

  /** Whether the action works on dead letters; otherwise it works on messages of the log. */
  public boolean ofLetters() {
    return this != RESEND && this != REWIND;
  }

  /** Whether it can have a rate; a rewind cannot, because the destination waits for its end. */
  public boolean mayBePaced() {
    return this != REWIND;
  }

  /** Whether the action sends messages, so that their outcomes are known later. */
  public boolean sends() {
    return this != DISCARD;
  }
}
