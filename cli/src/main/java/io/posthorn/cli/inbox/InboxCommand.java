package io.posthorn.cli.inbox;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** See what was received and handled, and let it be handled again. */
@Command(
    name = "inbox",
    description = "See what was received and handled, and let it be handled again.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      ShowCommand.class, //
      ListCommand.class,
      ReplayCommand.class,
    })
public final class InboxCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }
}
