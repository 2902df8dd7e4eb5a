package io.posthorn.envelope;

/** What arrived is not a message; a person reads the reason. Never leaves this package. */
final class UnreadableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnreadableException(String why) {
    super(why, null, false, false);
  }
}
