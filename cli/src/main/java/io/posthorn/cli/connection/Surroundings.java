package io.posthorn.cli.connection;

import java.nio.file.Path;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** What the command reads from the machine it runs on: environment variables and the home. */
public final class Surroundings {
  /** Those of this process. */
  public static final Surroundings OF_PROCESS =
      new Surroundings(System::getenv, Path.of(System.getProperty("user.home", "")));

  private final UnaryOperator<@Nullable String> variables;
  private final Path home;

  public Surroundings(UnaryOperator<@Nullable String> variables, Path home) {
    this.variables = variables;
    this.home = home;
  }

  /** Returns the value of a variable; null if it is missing or empty. */
  @Nullable String variable(String name) {
    String value = variables.apply(name);
    return value == null || value.isEmpty() ? null : value;
  }

  /** Returns a path that may begin with {@code ~/}. */
  Path path(String text) {
    return text.startsWith("~/") ? home.resolve(text.substring(2)) : Path.of(text);
  }
}
