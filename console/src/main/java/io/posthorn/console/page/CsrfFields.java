package io.posthorn.console.page;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.util.ClassUtils;

/** The hidden field of Spring Security, where the application has it. */
final class CsrfFields {
  private static final boolean SECURED =
      ClassUtils.isPresent(
          "org.springframework.security.web.csrf.CsrfToken", CsrfFields.class.getClassLoader());

  private CsrfFields() {}

  static Shell.@Nullable Csrf of(HttpServletRequest request) {
    return SECURED ? Secured.of(request) : null;
  }

  /** Loaded only where Spring Security is. */
  private static final class Secured {
    static Shell.@Nullable Csrf of(HttpServletRequest request) {
      return request.getAttribute(CsrfToken.class.getName()) instanceof CsrfToken token
          ? new Shell.Csrf(token.getParameterName(), token.getToken())
          : null;
    }
  }
}
