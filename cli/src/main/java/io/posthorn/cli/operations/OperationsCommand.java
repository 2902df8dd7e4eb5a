package io.posthorn.cli.operations;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code operations} commands. */
@Command(
    name = "operations",
    description = "Show the progress of operations (bulk actions); stop and resume them.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      ListCommand.class, //
      ShowCommand.class,
      StopCommand.class,
      ResumeCommand.class,
    })
public final class OperationsCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }
}
