package io.posthorn.cli.messages;

import io.posthorn.cli.operations.ResendCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code messages} commands. */
@Command(
    name = "messages",
    description = "Find messages, show what happened to them, send them again.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      FindCommand.class, //
      ListCommand.class,
      ResendCommand.class,
    })
public final class MessagesCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }
}
