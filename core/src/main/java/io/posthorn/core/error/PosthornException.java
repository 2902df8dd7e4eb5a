package io.posthorn.core.error;

import org.jspecify.annotations.Nullable;

/**
 * Posthorn did not do something. The message says what was not done, to which thing, why, and what
 * to do. Programs use {@link #code()}, which is stable.
 */
public final class PosthornException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  public PosthornException(ErrorCode code, String message) {
    this(code, message, null);
  }

  public PosthornException(ErrorCode code, String message, @Nullable Throwable cause) {
    // The message may quote a driver or a client.
    super(code.text() + ": " + Sanitiser.clean(message), cause);
    this.code = code;
  }

  public ErrorCode code() {
    return code;
  }
}
