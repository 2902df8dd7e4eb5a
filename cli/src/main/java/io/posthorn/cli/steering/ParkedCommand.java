package io.posthorn.cli.steering;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code parked} commands. */
@Command(
    name = "parked",
    description =
        "Show messages that wait outside the log; retry, skip, reschedule and release them.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      ParkedListCommand.class, //
      RetryCommand.class,
      SkipCommand.class,
      RescheduleCommand.class,
      ReleaseCommand.class,
    })
public final class ParkedCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }
}
