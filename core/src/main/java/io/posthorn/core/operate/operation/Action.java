package io.posthorn.core.operate.operation;

/** What an operation does with each thing it finds. */
public enum Action {
  /** Dead letters go back on their way, with the ids they have. */
  REQUEUE,
  /** The same under new ids: receivers take them for messages they have not seen. */
  REQUEUE_NEW_ID,
  /** Dead letters are tried once; what fails is dead again at once. */
  SEND_ONCE,
  /** Dead letters are given up; the evidence stays. */
  DISCARD,
  /** What one destination was sent is sent again. */
  RESEND,
  /**
   * One destination gets all that its routes want since a time, whether it was sent or not, before
   * anything that it has not got yet.
   */
  REWIND;

  /** Whether it is about dead letters; the others are about messages in the log. */
  public boolean ofLetters() {
    return this != RESEND && this != REWIND;
  }

  /** Whether it may go slowly; a rewind may not, because the destination waits for it. */
  public boolean mayBePaced() {
    return this != REWIND;
  }

  /** Whether something is sent, so that it is known later what came of it. */
  public boolean sends() {
    return this != DISCARD;
  }
}
