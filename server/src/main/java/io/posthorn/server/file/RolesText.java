package io.posthorn.server.file;

import io.posthorn.api.access.Role;
import io.posthorn.api.security.Grants;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads roles and times of users and tokens. */
final class RolesText {
  private RolesText() {}

  static Grants grants(Map<String, String> roles) {
    Map<String, Set<Role>> grants = new HashMap<>();
    roles.forEach((database, text) -> grants.put(database, roles(text)));
    return new Grants(grants);
  }

  /** Throws if one of them is no role. */
  static Set<Role> roles(String text) {
    Set<Role> roles = EnumSet.noneOf(Role.class);
    for (String one : text.split(",", -1)) {
      roles.add(Role.valueOf(one.strip().toUpperCase(Locale.ROOT).replace('-', '_')));
    }
    return roles;
  }

  static boolean areRoles(String text) {
    try {
      roles(text);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** Throws if it is neither a day nor a time. A day ends with it, in UTC. */
  static @Nullable Instant time(@Nullable String text) {
    if (text == null) {
      return null;
    }
    return text.length() == "2027-01-31".length()
        ? LocalDate.parse(text).plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant()
        : Instant.parse(text);
  }

  static boolean isTime(@Nullable String text) {
    try {
      time(text);
      return true;
    } catch (DateTimeParseException e) {
      return false;
    }
  }
}
