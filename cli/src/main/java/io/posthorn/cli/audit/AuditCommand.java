package io.posthorn.cli.audit;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What there is to do with the audit. */
@Command(
    name = "audit",
    description = "See what people did, and check that nobody changed the record.",
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
