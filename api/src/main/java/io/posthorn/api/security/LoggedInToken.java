package io.posthorn.api.security;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AbstractAuthenticationToken;

/** What Spring Security keeps of somebody who has logged in: no secret. */
final class LoggedInToken extends AbstractAuthenticationToken {
  private static final long serialVersionUID = 1L;

  private final transient LoggedIn who;

  LoggedInToken(LoggedIn who) {
    super(List.of());
    this.who = who;
    setAuthenticated(true);
  }

  LoggedIn who() {
    return who;
  }

  @Override
  public @Nullable Object getCredentials() {
    return null;
  }

  @Override
  public Object getPrincipal() {
    return who;
  }

  @Override
  public String getName() {
    return who.name();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }
}
