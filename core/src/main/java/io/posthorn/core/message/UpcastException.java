package io.posthorn.core.message;

/** An {@link Upcaster} failed. The message counts as failed by its handler. */
public final class UpcastException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UpcastException(Upcast upcast, Throwable cause) {
    super(
        "%s could not convert the payload of '%s' from version %d to %d: %s"
            .formatted(
                upcast.declaredAs(),
                upcast.type(),
                upcast.from(),
                upcast.to(),
                cause.getClass().getSimpleName()),
        cause);
  }
}
