package io.posthorn.cli.database;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Which messages or letters, as far as all commands that select some say it alike. */
public final class FilterOptions {
  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Option(names = "--type", paramLabel = "TYPE", description = "Of this type.")
  private @Nullable String type;

  @Mixin private final KeyOption key = new KeyOption();

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description =
          "Messages stored, or letters dead, since then: 2026-01-31T10:00:00Z, or 2h, 3d before now.")
  private @Nullable String from;

  @Option(names = "--to", paramLabel = "TIME", description = "Before then.")
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

  /** Whether nothing was said. */
  public boolean isEmpty() {
    return type == null && key.isEmpty() && from == null && to == null;
  }
}
