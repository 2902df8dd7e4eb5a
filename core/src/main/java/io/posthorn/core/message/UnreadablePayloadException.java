package io.posthorn.core.message;

/**
 * A payload is not what its type and version promise, so no attempt can succeed. Thrown while a
 * handler's message is read, it makes the message a dead letter at once, with the reason {@code
 * SCHEMA_MISMATCH}.
 */
public final class UnreadablePayloadException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * Reports what is wrong.
   *
   * @param problem what is wrong, without values of the payload
   */
  public UnreadablePayloadException(String problem) {
    super(problem);
  }
}
