package io.posthorn.cli.database;

import io.posthorn.core.error.PosthornException;
import io.posthorn.postgresql.Tables;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Where the tables are, as the command line says it. */
public final class TablesOptions {
  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Option(
      names = "--schema",
      paramLabel = "NAME",
      description = "Schema of the tables; default: ${DEFAULT-VALUE}.",
      defaultValue = "public")
  private String schema = Tables.DEFAULT.schema();

  @Option(
      names = "--prefix",
      paramLabel = "NAME",
      description = "What their names begin with; default: ${DEFAULT-VALUE}.",
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
