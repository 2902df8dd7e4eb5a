package io.posthorn.core.connector;

/**
 * Thrown by a handler that will never accept this message, for example a shipping notice for a
 * cancelled order. The message becomes a dead letter at once, with this reason code.
 */
public final class RejectedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String reasonCode;

  public RejectedException(String reasonCode, String message) {
    super(message);
    this.reasonCode = reasonCode;
  }

  public String reasonCode() {
    return reasonCode;
  }
}
