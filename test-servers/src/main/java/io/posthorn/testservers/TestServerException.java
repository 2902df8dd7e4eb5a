package io.posthorn.testservers;

import org.jspecify.annotations.Nullable;

/** A server was not found, started or stopped. The message says why and what to do. */
public final class TestServerException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  TestServerException(String message) {
    this(message, null);
  }

  TestServerException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
