package io.posthorn.cli.schema;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code schema} commands. */
@Command(
    name = "schema",
    description = "Create or upgrade Posthorn's tables, or print the SQL for it.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      MigrateCommand.class, //
      PrintCommand.class,
      GrantsCommand.class,
    })
public final class SchemaCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }
}
