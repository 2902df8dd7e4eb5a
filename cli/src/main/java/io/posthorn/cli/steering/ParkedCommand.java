package io.posthorn.cli.steering;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** See what waits outside the log; retry now, skip, reschedule, release. */
@Command(
    name = "parked",
    description = "See what waits outside the log; retry now, skip, reschedule, release.",
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
