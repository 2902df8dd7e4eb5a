package io.posthorn.api.security;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Right;

/** A user or a token of the server's file. */
final class LoggedIn implements Caller {
  private final String name;
  private final Grants grants;

  LoggedIn(String name, Grants grants) {
    this.name = name;
    this.grants = grants;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public boolean may(Right right, String database) {
    return grants.has(right, database);
  }

  /** Spring's own log lines show it. */
  @Override
  public String toString() {
    return name;
  }
}
