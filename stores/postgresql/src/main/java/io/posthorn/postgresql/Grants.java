package io.posthorn.postgresql;

import io.posthorn.postgresql.schema.RoleGrants;

/**
 * The least that each role needs. No role needs to create or alter anything at run time, and
 * writers cannot set {@code tx} or {@code seq}, which delivery relies on.
 */
public final class Grants {
  private final RoleGrants grants;

  public Grants(Tables tables) {
    this.grants = new RoleGrants(tables.names());
  }

  public String writer(String role) {
    return grants.writer(role);
  }

  /** For an application that receives; it may add messages, too. */
  public String receiver(String role) {
    return grants.receiver(role);
  }

  public String relay(String role) {
    return grants.relay(role);
  }

  public String operator(String role) {
    return grants.operator(role);
  }
}
