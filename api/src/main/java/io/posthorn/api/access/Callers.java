package io.posthorn.api.access;

import jakarta.servlet.http.HttpServletRequest;

/**
 * Finds out who sends a request. In the server this comes from its login; in an application from
 * the security of the application.
 */
@FunctionalInterface
public interface Callers {
  /** The caller of this request; {@link Caller#NOBODY} if nobody has logged in. */
  Caller of(HttpServletRequest request);
}
