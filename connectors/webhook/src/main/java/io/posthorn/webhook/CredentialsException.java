package io.posthorn.webhook;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Keys or credentials could not be had; no message is at fault. Tells nothing of what they are. */
final class CredentialsException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  CredentialsException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  static <T> T guard(String what, Supplier<T> supplier) {
    try {
      return supplier.get();
    } catch (RuntimeException e) {
      throw new CredentialsException(
          what + " could not be had: " + e.getClass().getSimpleName(), e);
    }
  }
}
