package io.posthorn.cli.steering;

import io.posthorn.cli.operations.RewindCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code destinations} commands. */
@Command(
    name = "destinations",
    description = "Show destinations; check, pause, limit, rewind and remove them.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      DestinationsListCommand.class, //
      CheckCommand.class,
      PauseCommand.class,
      ResumeCommand.class,
      PausesCommand.class,
      LimitCommand.class,
      RewindCommand.class,
      SpillCommand.class,
      RoutesCommand.class,
      NarrowCommand.class,
      RemoveCommand.class,
    })
public final class DestinationsCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }
}
