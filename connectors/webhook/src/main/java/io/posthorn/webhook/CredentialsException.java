package io.posthorn.webhook;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Keys or credentials could not be obtained; no message is at fault. Reveals none of them. */
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
          what + " could not be obtained: " + e.getClass().getSimpleName(), e);
    }
  }
}
