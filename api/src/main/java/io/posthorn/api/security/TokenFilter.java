package io.posthorn.api.security;

import io.posthorn.api.error.ProblemAnswer;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.filter.OncePerRequestFilter;

/** Logs the sender of a token in, for one request only. */
final class TokenFilter extends OncePerRequestFilter {
  private static final String BEARER = "Bearer ";

  private final Map<String, ApiToken> tokens = new HashMap<>();
  private final Clock clock;

  TokenFilter(List<ApiToken> tokens, Clock clock) {
    tokens.forEach(token -> this.tokens.put(token.hash(), token));
    this.clock = clock;
  }

  static boolean isBearer(HttpServletRequest request) {
    String header = request.getHeader(HttpHeaders.AUTHORIZATION);
    return header != null && header.regionMatches(true, 0, BEARER, 0, BEARER.length());
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    if (!isBearer(request)) {
      chain.doFilter(request, response);
      return;
    }
    ApiToken token = find(request.getHeader(HttpHeaders.AUTHORIZATION));
    if (token == null || token.isExpired(clock.instant())) {
      response.setHeader(HttpHeaders.WWW_AUTHENTICATE, "Bearer error=\"invalid_token\"");
      ProblemAnswer.write(
          response,
          HttpStatus.UNAUTHORIZED,
          token == null
              ? "nothing was done: the token is unknown."
              : "nothing was done: the token '%s' has expired.".formatted(token.name()));
      return;
    }
    SecurityContext context = SecurityContextHolder.createEmptyContext();
    context.setAuthentication(
        new LoggedInToken(new LoggedIn("token:" + token.name(), token.grants())));
    SecurityContextHolder.setContext(context);
    chain.doFilter(request, response);
  }

  private @Nullable ApiToken find(@Nullable String header) {
    return header == null
        ? null
        : tokens.get(ApiToken.hashOf(header.substring(BEARER.length()).strip()));
  }
}
