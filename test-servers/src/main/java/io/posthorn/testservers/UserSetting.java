package io.posthorn.testservers;

import java.util.Locale;
import java.util.Optional;

/**
 * Settings of the person who runs the tests: the system property {@code posthorn.pgbouncer}, or
 * else the environment variable {@code POSTHORN_PGBOUNCER}, and so on for every name.
 */
final class UserSetting {
  private UserSetting() {}

  static Optional<String> value(String property) {
    return Optional.ofNullable(System.getProperty(property))
        .or(() -> Optional.ofNullable(System.getenv(variable(property))))
        .filter(value -> !value.isBlank());
  }

  static String variable(String property) {
    return property.toUpperCase(Locale.ROOT).replace('.', '_');
  }
}
