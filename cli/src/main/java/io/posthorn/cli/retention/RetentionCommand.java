package io.posthorn.cli.retention;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code retention} commands. */
@Command(
    name = "retention",
    description =
        "Show what is kept and for which destination; purge now; verify and import archives.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      ShowCommand.class, //
      RunCommand.class,
      VerifyCommand.class,
      ImportCommand.class,
      ForgetCommand.class,
    })
public final class RetentionCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }
}
