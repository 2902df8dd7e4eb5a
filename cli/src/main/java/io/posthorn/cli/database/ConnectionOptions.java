package io.posthorn.cli.database;

import io.posthorn.cli.CommandFailed;
import io.posthorn.cli.Posthorn;
import io.posthorn.cli.connection.Login;
import io.posthorn.cli.connection.Profile;
import io.posthorn.cli.connection.Sourced;
import io.posthorn.cli.connection.Surroundings;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Options for the database and the role to connect as. Neither the password nor an address that
 * contains one is ever printed.
 */
public final class ConnectionOptions {
  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Option(
      names = "--url",
      paramLabel = "URL",
      description =
          "JDBC address of the database, for example jdbc:postgresql://localhost:5432/shop; default: POSTHORN_URL.")
  private @Nullable String url;

  @Option(
      names = "--profile",
      paramLabel = "NAME",
      description =
          "Take the address, the role and the password from this profile of ~/.config/posthorn/profiles.properties (or $POSTHORN_PROFILES); default: POSTHORN_PROFILE.")
  private @Nullable String profile;

  @Option(
      names = "--user",
      paramLabel = "ROLE",
      description = "Database role to connect as; default: POSTHORN_USER.")
  private @Nullable String user;

  @Option(
      names = "--password",
      interactive = true,
      prompt = "Password: ",
      arity = "0..1",
      paramLabel = "PASSWORD",
      description =
          "Ask for the password. A password that you pass here is visible to other users of this machine.")
  private char @Nullable [] password;

  @Option(
      names = "--password-env",
      paramLabel = "VARIABLE",
      description =
          "Read the password from this environment variable; default: POSTHORN_PASSWORD, then PGPASSWORD, then PostgreSQL's password file.")
  private @Nullable String passwordEnv;

  @Option(
      names = "--password-file",
      paramLabel = "FILE",
      description =
          "Read the password from the first line of this file, which other users must not be able to read.")
  private @Nullable String passwordFile;

  /** Read once, because the password's file may be a pipe. */
  private @Nullable Login login;

  /** Returns whether a database was named. */
  boolean isGiven() {
    return login().url() != null;
  }

  /** Returns the profile that names the database; null if something else does. */
  public @Nullable Profile profile() {
    return login().profile();
  }

  /** Returns a data source, after a first connection has succeeded. */
  public DataSource dataSource() {
    Login login = login();
    // Not marked as required, because one command also works without a database.
    Sourced address = login.url();
    if (address == null) {
      throw refused(Login.nowhere(surroundings()));
    }
    PGSimpleDataSource source = source(address);
    if (login.user() != null) {
      source.setUser(login.user().value());
    }
    if (login.password() != null) {
      source.setPassword(login.password().value());
    }
    if (login.profile() != null) {
      ConfirmOption.check(command(), login.profile(), address.value());
    }
    connectOnce(source, address, login);
    return source;
  }

  private Login login() {
    Login known = login;
    if (known == null) {
      known = readLogin();
      login = known;
    }
    return known;
  }

  private Login readLogin() {
    if (url != null && profile != null) {
      throw refused("pass either --url or --profile");
    }
    try {
      return Login.of(
          new Login.Options(
              url,
              profile,
              user,
              password == null ? null : new String(password),
              passwordEnv,
              passwordFile),
          surroundings());
    } catch (Login.MissingVariable e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  /** The mixee is another mixin, but it knows its command. */
  private CommandSpec command() {
    return spec.commandLine().getCommandSpec();
  }

  private Surroundings surroundings() {
    return Posthorn.of(command()).surroundings();
  }

  private PGSimpleDataSource source(Sourced address) {
    if (address.value().matches("(?s)[^/]*//[^/?]*@.*")) {
      throw refused(
          "the address (%s) must not contain a user or a password: use --user and --password-env, or variables, or a profile"
              .formatted(address));
    }
    PGSimpleDataSource source = new PGSimpleDataSource();
    try {
      source.setUrl(address.value());
    } catch (IllegalArgumentException e) {
      throw refused(
          "the address (%s) is not that of a PostgreSQL database: write jdbc:postgresql://HOST:5432/DATABASE"
              .formatted(address));
    }
    return source;
  }

  private void connectOnce(DataSource source, Sourced address, Login login) {
    try {
      source.getConnection().close();
    } catch (SQLException e) {
      throw new CommandFailed(
          "cannot connect to %s%s: %s (address %s, role %s, password %s)"
              .formatted(
                  address.value().replaceFirst("\\?.*", ""),
                  login.user() == null ? "" : " as " + login.user().value(),
                  reason(e),
                  address,
                  login.user() == null ? "not given" : login.user(),
                  login.password() == null ? "not given" : login.password()),
          e);
    }
  }

  private static String reason(SQLException e) {
    String text = String.valueOf(e.getMessage());
    return text.lines().findFirst().orElse(text);
  }

  private ParameterException refused(String why) {
    return new ParameterException(spec.commandLine(), why);
  }
}
