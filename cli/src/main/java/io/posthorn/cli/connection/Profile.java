package io.posthorn.cli.connection;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A named database of the profiles file. */
public final class Profile {
  static final String URL = "url";
  static final String USER = "user";
  static final String PASSWORD = "password";
  static final String PASSWORD_FILE = "password-file";
  static final String PASSWORD_ENV = "password-env";
  static final String SCHEMA = "schema";
  static final String PREFIX = "prefix";
  static final String PROTECTED = "protected";
  static final Set<String> SETTINGS =
      new TreeSet<>(
          Set.of(URL, USER, PASSWORD, PASSWORD_FILE, PASSWORD_ENV, SCHEMA, PREFIX, PROTECTED));

  private final String name;
  private final Map<String, String> settings;

  Profile(String name, Map<String, String> settings) {
    this.name = name;
    this.settings = Map.copyOf(settings);
  }

  public String name() {
    return name;
  }

  /** Whether commands that change something ask for its name first. */
  public boolean isProtected() {
    return "true".equals(settings.get(PROTECTED));
  }

  public @Nullable String schema() {
    return settings.get(SCHEMA);
  }

  public @Nullable String prefix() {
    return settings.get(PREFIX);
  }

  @Nullable Sourced sourced(String setting) {
    String value = settings.get(setting);
    return value == null ? null : new Sourced(value, "profile '" + name + "'");
  }
}
