package io.posthorn.console.page;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;

/** What a browser remembers for the console. */
final class Cookies {
  private static final String THEME = "posthorn-theme";

  private Cookies() {}

  /** The chosen theme: light, dark or system. */
  static String theme(HttpServletRequest request) {
    Cookie[] cookies = request.getCookies();
    if (cookies != null) {
      for (Cookie cookie : cookies) {
        if (cookie.getName().equals(THEME)
            && (cookie.getValue().equals("light") || cookie.getValue().equals("dark"))) {
          return cookie.getValue();
        }
      }
    }
    return "system";
  }
}
