package io.posthorn.cli.steering;

import io.posthorn.core.message.Key;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A key, if one is said. */
final class KeyOption {
  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Option(
      names = "--key",
      paramLabel = "TYPE/ID",
      description = "Of this key, for example Order/o-1; with --aggregate-type, only its id.")
  private @Nullable String key;

  @Option(
      names = "--aggregate-type",
      paramLabel = "TYPE",
      description = "The key's kind, for kinds with a '/' in their name.")
  private @Nullable String aggregateType;

  @Nullable Key key() {
    if (key == null) {
      if (aggregateType != null) {
        throw new ParameterException(spec.commandLine(), "--aggregate-type needs --key");
      }
      return null;
    }
    return aggregateType == null ? Keys.parse(key) : Key.of(aggregateType, key);
  }
}
