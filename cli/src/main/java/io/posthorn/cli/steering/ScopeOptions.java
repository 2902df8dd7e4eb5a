package io.posthorn.cli.steering;

import io.posthorn.cli.database.KeyOption;
import io.posthorn.core.message.Key;
import io.posthorn.core.operate.steering.Scope;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Options for what to pause or to resume. */
final class ScopeOptions {
  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "DESTINATION",
      description = "Name of the destination; or pass --all.")
  private @Nullable String destination;

  @Option(names = "--all", description = "All destinations, also those registered later.")
  private boolean all;

  @Option(names = "--type", paramLabel = "TYPE", description = "Only messages of this type.")
  private @Nullable String type;

  @Mixin private final KeyOption key = new KeyOption();

  Scope scope() {
    Key one = key.key();
    if (all == (destination != null)) {
      throw new ParameterException(spec.commandLine(), "pass either a destination or --all");
    }
    if (one != null && (all || type != null)) {
      throw new ParameterException(
          spec.commandLine(),
          "--key is for one destination and all types: do not combine it with --all or --type");
    }
    return new Scope(destination, type, one);
  }
}
