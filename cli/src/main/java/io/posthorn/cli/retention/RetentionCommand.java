package io.posthorn.cli.retention;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What is removed when, and what is archived first. */
@Command(
    name = "retention",
    description = "See what is kept and for whom; purge now; read archives.",
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
