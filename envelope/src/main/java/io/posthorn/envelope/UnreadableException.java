package io.posthorn.envelope;

/** This is no message; a person reads why. Never leaves this package. */
final class UnreadableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnreadableException(String why) {
    super(why, null, false, false);
  }
}
