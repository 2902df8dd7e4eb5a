package io.posthorn.cli.inbox;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code inbox} commands. */
@Command(
    name = "inbox",
    description = "Show which messages were received and handled; let consumers handle them again.",
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
