package io.posthorn.cli.database;

import io.posthorn.core.operate.audit.Actor;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options for who acts and why. The audit records both. */
public final class ActorOptions {
  @Option(
      names = "--why",
      required = true,
      paramLabel = "TEXT",
      description = "Why you do this; the audit records it.")
  private String why = "";

  @Option(
      names = "--who",
      paramLabel = "NAME",
      description = "Who does this, for the audit; default: your user name on this machine.")
  private @Nullable String who;

  @SuppressWarnings("UnusedVariable") // the connection reads it
  @Mixin
  private final ConfirmOption confirm = new ConfirmOption();

  public Actor by() {
    return new Actor(who == null ? System.getProperty("user.name", "unknown") : who, why);
  }
}
