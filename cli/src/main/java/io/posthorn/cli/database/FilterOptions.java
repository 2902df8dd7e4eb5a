package io.posthorn.cli.database;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Options that select messages or dead letters, shared by all commands that do so. */
public final class FilterOptions {
  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Option(names = "--type", paramLabel = "TYPE", description = "Only this message type.")
  private @Nullable String type;

  @Mixin private final KeyOption key = new KeyOption();

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description =
          "Only messages stored, or dead letters that died, since this time: 2026-01-31T10:00:00Z; or 2h, 3d for that long ago.")
  private @Nullable String from;

  @Option(
      names = "--to",
      paramLabel = "TIME",
      description = "Only before this time, written like --from.")
  private @Nullable String to;

  public @Nullable String type() {
    return type;
  }

  public KeyOption key() {
    return key;
  }

  public @Nullable Instant from() {
    return Times.parse(spec, "--from", from);
  }

  public @Nullable Instant to() {
    return Times.parse(spec, "--to", to);
  }

  /** Returns whether no option was given. */
  public boolean isEmpty() {
    return type == null && key.isEmpty() && from == null && to == null;
  }
}
