package io.posthorn.cli.connection;

import io.posthorn.cli.CommandFailed;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The file with the user's profiles. A line such as {@code staging.url = jdbc:postgresql://…} sets
 * one setting of one profile.
 */
final class ProfilesFile {
  private static final String VARIABLE = "POSTHORN_PROFILES";

  /**
   * The driver takes the parameters {@code password} and {@code sslpassword}. An address with
   * {@code user:password@} is refused later, but it stands in the file.
   */
  private static final Pattern PASSWORD_IN_ADDRESS =
      Pattern.compile("[?&][^=&]*password=|//[^/?]*:[^/?]*@", Pattern.CASE_INSENSITIVE);

  private final Path path;
  private final Map<String, Map<String, String>> profiles = new TreeMap<>();
  private final boolean exists;

  private ProfilesFile(Path path) {
    this.path = path;
    this.exists = Files.exists(path);
  }

  /** Reads the file. A file that does not exist has no profiles. */
  static ProfilesFile read(Surroundings surroundings) {
    ProfilesFile file = new ProfilesFile(path(surroundings));
    if (file.exists) {
      file.load();
    }
    return file;
  }

  private static Path path(Surroundings surroundings) {
    String given = surroundings.variable(VARIABLE);
    if (given != null) {
      return surroundings.path(given);
    }
    String config = surroundings.variable("XDG_CONFIG_HOME");
    return surroundings
        .path(config == null ? "~/.config" : config)
        .resolve("posthorn/profiles.properties");
  }

  private void load() {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(path)) {
      properties.load(reader);
    } catch (IOException e) {
      throw PrivateFile.unreadable(path, e);
    }
    for (String key : properties.stringPropertyNames()) {
      add(key, properties.getProperty(key).strip());
    }
    if (profiles.values().stream().anyMatch(ProfilesFile::holdsPassword)) {
      PrivateFile.check(path);
    }
  }

  private static boolean holdsPassword(Map<String, String> settings) {
    return settings.containsKey(Profile.PASSWORD)
        || PASSWORD_IN_ADDRESS.matcher(settings.getOrDefault(Profile.URL, "")).find();
  }

  private void add(String key, String value) {
    int dot = key.lastIndexOf('.');
    String setting = key.substring(dot + 1);
    if (dot < 1 || !Profile.SETTINGS.contains(setting)) {
      throw wrong(
          "'%s' is no setting of a profile. Write NAME.SETTING, where the setting is one of %s"
              .formatted(key, String.join(", ", Profile.SETTINGS)));
    }
    // A misspelt word must not leave a profile unprotected.
    if (setting.equals(Profile.PROTECTED) && !value.equals("true") && !value.equals("false")) {
      throw wrong("%s is '%s'. Write true or false".formatted(key, value));
    }
    profiles.computeIfAbsent(key.substring(0, dot), name -> new TreeMap<>()).put(setting, value);
  }

  private CommandFailed wrong(String what) {
    return new CommandFailed("nothing was done: in " + path + ", " + what, null);
  }

  /**
   * @param source what named the profile
   */
  Profile profile(String name, String source) {
    Map<String, String> settings = profiles.get(name);
    if (settings == null) {
      throw new CommandFailed(
          "nothing was done: there is no profile '%s' (%s). %s"
              .formatted(name, source, description()),
          null);
    }
    if (!settings.containsKey(Profile.URL)) {
      throw wrong("the profile '%1$s' has no address: add %1$s.url".formatted(name));
    }
    return new Profile(name, settings);
  }

  String description() {
    if (!exists) {
      return "There is no profiles file %s".formatted(path);
    }
    return profiles.isEmpty()
        ? "The profiles file %s is empty".formatted(path)
        : "The profiles file %s has: %s".formatted(path, String.join(", ", profiles.keySet()));
  }
}
