package io.posthorn.postgresql;

import io.posthorn.postgresql.schema.RoleGrants;

/**
 * The smallest set of grants for each role. No role creates or alters anything at run time, and
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

  /** Returns the grants of an application that receives messages and may add them. */
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
