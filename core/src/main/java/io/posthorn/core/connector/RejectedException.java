package io.posthorn.core.connector;

/**
 * Throw this in a handler that will never accept the message, for example a shipping notice for a
 * cancelled order. The message becomes a dead letter at once, with this reason code.
 */
public final class RejectedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String reasonCode;

  /**
   * Rejects the message.
   *
   * @param reasonCode a stable code of your own, for example {@code ORDER_CANCELLED}
   * @param message why, for the person who looks at the dead letter
   */
  public RejectedException(String reasonCode, String message) {
    super(message);
    this.reasonCode = reasonCode;
  }

  /** The reason code of the dead letter. */
  public String reasonCode() {
    return reasonCode;
  }
}
