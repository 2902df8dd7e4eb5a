package io.posthorn.webhook;

/** A request is refused. Never leaves this package. */
final class RefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final String code;

  RefusedException(int status, String code, String text) {
    super(text, null, false, false);
    this.status = status;
    this.code = code;
  }

  Incoming.Refused refused() {
    return new Incoming.Refused(status, code, String.valueOf(getMessage()));
  }
}
