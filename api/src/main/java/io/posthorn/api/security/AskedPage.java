package io.posthorn.api.security;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.security.web.savedrequest.RequestCache;
import org.springframework.security.web.savedrequest.SavedRequest;
import org.springframework.security.web.savedrequest.SimpleSavedRequest;

/**
 * Remembers the page that somebody asked for before they logged in: its address and nothing else.
 * Strangers open sessions with it, so what it keeps must be small.
 */
final class AskedPage implements RequestCache {
  private static final String NAME = AskedPage.class.getName();
  private static final int LONGEST = 500;

  @Override
  public void saveRequest(HttpServletRequest request, HttpServletResponse response) {
    String accept = request.getHeader(HttpHeaders.ACCEPT);
    String address = address(request);
    if (request.getMethod().equals(HttpMethod.GET.name())
        && accept != null
        && accept.contains(MediaType.TEXT_HTML_VALUE)
        && address.length() <= LONGEST) {
      request.getSession().setAttribute(NAME, address);
    }
  }

  private static String address(HttpServletRequest request) {
    String query = request.getQueryString();
    return request.getRequestURI() + (query == null ? "" : "?" + query);
  }

  @Override
  public @Nullable SavedRequest getRequest(
      HttpServletRequest request, HttpServletResponse response) {
    HttpSession session = request.getSession(false);
    return session != null && session.getAttribute(NAME) instanceof String address
        ? new SimpleSavedRequest(address)
        : null;
  }

  /** The request itself is never repeated. */
  @Override
  public @Nullable HttpServletRequest getMatchingRequest(
      HttpServletRequest request, HttpServletResponse response) {
    return null;
  }

  @Override
  public void removeRequest(HttpServletRequest request, HttpServletResponse response) {
    HttpSession session = request.getSession(false);
    if (session != null) {
      session.removeAttribute(NAME);
    }
  }
}
