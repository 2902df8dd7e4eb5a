package io.posthorn.cli.database;

import io.posthorn.cli.CommandFailed;
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
  private static final String DEFAULT_VARIABLE = "PGPASSWORD";

  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Option(
      names = "--url",
      paramLabel = "URL",
      description =
          "JDBC address of the database, for example jdbc:postgresql://localhost:5432/shop.")
  private @Nullable String url;

  @Option(names = "--user", paramLabel = "ROLE", description = "Database role to connect as.")
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
          "Read the password from this environment variable; default: " + DEFAULT_VARIABLE + ".")
  private @Nullable String variable;

  boolean isGiven() {
    return url != null;
  }

  /** Returns a data source, after a first connection has succeeded. */
  public DataSource dataSource() {
    // Not marked as required, because one command also works without a database.
    if (url == null) {
      throw new ParameterException(spec.commandLine(), "Missing required option: '--url=URL'");
    }
    if (url.matches("(?s)[^/]*//[^/?]*@.*")) {
      throw new ParameterException(
          spec.commandLine(),
          "--url must not contain a user or a password: use --user and --password-env");
    }
    PGSimpleDataSource source = new PGSimpleDataSource();
    try {
      source.setUrl(url);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(
          spec.commandLine(),
          "--url is not the address of a PostgreSQL database: write jdbc:postgresql://HOST:5432/DATABASE");
    }
    if (user != null) {
      source.setUser(user);
    }
    String secret = secret();
    if (secret != null) {
      source.setPassword(secret);
    }
    connectOnce(source, url);
    return source;
  }

  private void connectOnce(DataSource source, String url) {
    try {
      source.getConnection().close();
    } catch (SQLException e) {
      throw new CommandFailed(
          "cannot connect to %s%s: %s"
              .formatted(
                  url.replaceFirst("\\?.*", ""), user == null ? "" : " as " + user, reason(e)),
          e);
    }
  }

  private static String reason(SQLException e) {
    String text = String.valueOf(e.getMessage());
    return text.lines().findFirst().orElse(text);
  }

  private @Nullable String secret() {
    if (password != null) {
      return new String(password);
    }
    String value = System.getenv(variable == null ? DEFAULT_VARIABLE : variable);
    if (value == null && variable != null) {
      throw new ParameterException(
          spec.commandLine(),
          "--password-env: the environment variable " + variable + " is not set");
    }
    return value;
  }
}
