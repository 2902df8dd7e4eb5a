package io.posthorn.cli.database;

import io.posthorn.core.error.PosthornException;
import io.posthorn.postgresql.Tables;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options for the schema and the name prefix of the tables. */
public final class TablesOptions {
  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Option(
      names = "--schema",
      paramLabel = "NAME",
      description = "Schema of Posthorn's tables; default: ${DEFAULT-VALUE}.",
      defaultValue = "public")
  private String schema = Tables.DEFAULT.schema();

  @Option(
      names = "--prefix",
      paramLabel = "NAME",
      description = "Prefix of the tables' names; default: ${DEFAULT-VALUE}.",
      defaultValue = "posthorn_")
  private String prefix = Tables.DEFAULT.prefix();

  public Tables tables() {
    try {
      return new Tables(schema, prefix);
    } catch (PosthornException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }
}
