package io.posthorn.cli.dead;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code dead} commands. */
@Command(
    name = "dead",
    description =
        "Show messages that could not be delivered (dead letters); requeue, send or discard them.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      ListCommand.class, //
      ShowCommand.class,
      GroupsCommand.class,
      NoteCommand.class,
      SummaryCommand.class,
      RequeueCommand.class,
      SendCommand.class,
      DiscardCommand.class,
    })
public final class DeadCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }
}
