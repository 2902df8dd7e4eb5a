package io.posthorn.console.page;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/** Where a viewer logs out: only the server has a login of its own. */
final class LogoutLinks {
  private LogoutLinks() {}

  static @Nullable String of(HttpServletRequest request, String base) {
    return base.isEmpty() && request.getUserPrincipal() != null ? "/logout" : null;
  }
}
