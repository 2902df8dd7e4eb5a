package io.posthorn.cli.audit;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code audit} commands. */
@Command(
    name = "audit",
    description = "Show what people did, and check that no entry was changed or removed.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      ListCommand.class, //
      ExportCommand.class,
      VerifyCommand.class,
    })
public final class AuditCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }
}
