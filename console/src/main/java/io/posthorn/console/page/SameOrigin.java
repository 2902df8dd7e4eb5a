package io.posthorn.console.page;

import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * Whether a change was sent by a page of the console itself. Browsers say where a request comes
 * from, and no page can forge that; so this holds with and without Spring Security.
 */
public final class SameOrigin {
  private SameOrigin() {}

  /** Whether the request comes from here, or from no browser at all. */
  public static boolean sent(HttpServletRequest request) {
    String site = request.getHeader("Sec-Fetch-Site");
    if (site != null) {
      return site.equals("same-origin") || site.equals("none");
    }
    String origin = request.getHeader("Origin");
    return origin == null || hostOf(origin).equals(request.getHeader("Host"));
  }

  private static String hostOf(@Nullable String origin) {
    try {
      return String.valueOf(URI.create(String.valueOf(origin)).getRawAuthority());
    } catch (IllegalArgumentException e) {
      return "";
    }
  }
}
