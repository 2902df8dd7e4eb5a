package io.posthorn.cli.database;

import io.posthorn.core.operate.audit.Actor;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Who acts, and why; both are kept in the audit. */
public final class ActorOptions {
  @Option(
      names = "--why",
      required = true,
      paramLabel = "TEXT",
      description = "The reason; it is kept in the audit.")
  private String why = "";

  @Option(
      names = "--who",
      paramLabel = "NAME",
      description = "Who acts; default: the user of this machine.")
  private @Nullable String who;

  public Actor by() {
    return new Actor(who == null ? System.getProperty("user.name", "unknown") : who, why);
  }
}
