package io.posthorn.cli.connection;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The address, the role and the password of a connection. Each comes from the first of these that
 * has it: an option, the profile of {@code --profile}, an environment variable, the profile of
 * {@code POSTHORN_PROFILE}.
 *
 * @param url null if nothing names a database
 * @param profile the profile that named the database; null if another source did
 */
public record Login(
    @Nullable Sourced url,
    @Nullable Sourced user,
    @Nullable Sourced password,
    @Nullable Profile profile) {
  private static final String URL = "POSTHORN_URL";
  private static final String USER = "POSTHORN_USER";
  private static final String PASSWORD = "POSTHORN_PASSWORD";
  private static final String PGPASSWORD = "PGPASSWORD";
  private static final String PROFILE = "POSTHORN_PROFILE";

  /**
   * What the options said; null stands for an option that was not passed.
   *
   * @param passwordEnv the variable that holds the password
   */
  public record Options(
      @Nullable String url,
      @Nullable String profile,
      @Nullable String user,
      @Nullable String password,
      @Nullable String passwordEnv,
      @Nullable String passwordFile) {}

  public static Login of(Options options, Surroundings surroundings) {
    String named = surroundings.variable(PROFILE);
    Sourced url = variable(surroundings, URL);
    Profile profile = null;
    if (options.url != null) {
      url = new Sourced(options.url, "--url");
    } else if (options.profile != null) {
      profile = ProfilesFile.read(surroundings).profile(options.profile, "--profile");
    } else if (url == null && named != null) {
      profile = ProfilesFile.read(surroundings).profile(named, PROFILE);
    }
    if (profile != null) {
      url = profile.sourced(Profile.URL);
    }
    return new Login(
        url,
        first(
            option(options.user, "--user"),
            setting(profile, Profile.USER),
            variable(surroundings, USER)),
        password(options, profile, surroundings),
        profile);
  }

  /** Says where a database could have been named. */
  public static String nowhere(Surroundings surroundings) {
    return "which database? Pass --url or --profile, or set %s or %s: none of them is there. %s"
        .formatted(URL, PROFILE, ProfilesFile.read(surroundings).description());
  }

  private static @Nullable Sourced password(
      Options options, @Nullable Profile profile, Surroundings surroundings) {
    Sourced given = option(options.password, "--password");
    if (given == null) {
      given = held(option(options.passwordEnv, "--password-env"), surroundings);
    }
    if (given == null) {
      given = content(option(options.passwordFile, "--password-file"), surroundings);
    }
    if (given == null) {
      given = setting(profile, Profile.PASSWORD);
    }
    if (given == null) {
      given = held(setting(profile, Profile.PASSWORD_ENV), surroundings);
    }
    if (given == null) {
      given = content(setting(profile, Profile.PASSWORD_FILE), surroundings);
    }
    return given == null
        ? first(variable(surroundings, PASSWORD), variable(surroundings, PGPASSWORD))
        : given;
  }

  private static @Nullable Sourced first(@Nullable Sourced... possible) {
    for (Sourced one : possible) {
      if (one != null) {
        return one;
      }
    }
    return null;
  }

  private static @Nullable Sourced option(@Nullable String value, String name) {
    return value == null ? null : new Sourced(value, name);
  }

  private static @Nullable Sourced setting(@Nullable Profile profile, String name) {
    return profile == null ? null : profile.sourced(name);
  }

  private static @Nullable Sourced variable(Surroundings surroundings, String name) {
    return option(surroundings.variable(name), name);
  }

  /** Returns the value of the variable that this value names. */
  private static @Nullable Sourced held(@Nullable Sourced variable, Surroundings surroundings) {
    return replaced(
        "variable",
        variable,
        name -> {
          String value = surroundings.variable(name);
          if (value == null) {
            throw new MissingVariable(
                "the environment variable %s, which should hold the password, is not set (%s)"
                    .formatted(name, variable));
          }
          return value;
        });
  }

  /** Returns the first line of the file that this value names. */
  private static @Nullable Sourced content(@Nullable Sourced file, Surroundings surroundings) {
    return replaced(
        "file",
        file,
        name -> {
          Path path = surroundings.path(name);
          try {
            if (Files.exists(path)) {
              PrivateFile.check(path);
            }
            return Files.readString(path).lines().findFirst().orElse("");
          } catch (IOException e) {
            throw PrivateFile.unreadable(path, e);
          }
        });
  }

  private static @Nullable Sourced replaced(
      String what, @Nullable Sourced named, UnaryOperator<String> value) {
    return named == null
        ? null
        : new Sourced(
            value.apply(named.value()),
            "the %s %s of %s".formatted(what, named.value(), named.source()));
  }

  /** A variable that an option or a profile names is not set. */
  public static final class MissingVariable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MissingVariable(String message) {
      super(message);
    }
  }
}
