package io.posthorn.api.application;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Callers;
import io.posthorn.api.access.Right;
import io.posthorn.api.access.Role;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Everybody whom the application's own security lets through may look. To do more, they need the
 * roles that the application gives them.
 *
 * @param roles the application's roles that stand for one of Posthorn's
 */
record ApplicationCallers(Map<Role, List<String>> roles) implements Callers {
  @Override
  public Caller of(HttpServletRequest request) {
    Principal principal = request.getUserPrincipal();
    Set<Right> rights = EnumSet.of(Right.VIEW);
    roles.forEach(
        (role, theirs) -> {
          if (theirs.stream().anyMatch(request::isUserInRole)) {
            rights.addAll(role.rights());
          }
        });
    String name = principal == null ? "anonymous" : principal.getName();
    return new InApplication(name, Set.copyOf(rights));
  }

  private record InApplication(String name, Set<Right> rights) implements Caller {
    @Override
    public boolean may(Right right, String database) {
      return rights.contains(right);
    }
  }
}
