package io.posthorn.api.security;

import io.posthorn.api.access.Right;
import io.posthorn.api.access.Role;
import java.util.Map;
import java.util.Set;

/**
 * The roles that somebody has in each database.
 *
 * @param roles by the name of the database; {@link #EVERYWHERE} means all databases
 */
public record Grants(Map<String, Set<Role>> roles) {
  /** Stands for all databases. */
  public static final String EVERYWHERE = "*";

  public Grants {
    roles = Map.copyOf(roles);
  }

  boolean has(Right right, String database) {
    return has(right, roles.getOrDefault(EVERYWHERE, Set.of()))
        || has(right, roles.getOrDefault(database, Set.of()));
  }

  private static boolean has(Right right, Set<Role> roles) {
    return roles.stream().anyMatch(role -> role.rights().contains(right));
  }
}
