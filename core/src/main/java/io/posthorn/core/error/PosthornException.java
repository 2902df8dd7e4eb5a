package io.posthorn.core.error;

import org.jspecify.annotations.Nullable;

/**
 * Something was not done. The message says what, to which thing, why, and what to do; {@link
 * #code()} is stable and meant for programs.
 */
public final class PosthornException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  public PosthornException(ErrorCode code, String message) {
    this(code, message, null);
  }

  public PosthornException(ErrorCode code, String message, @Nullable Throwable cause) {
    // Whoever wrote it may have quoted what a driver or a client said.
    super(code.text() + ": " + Sanitiser.clean(message), cause);
    this.code = code;
  }

  public ErrorCode code() {
    return code;
  }
}
