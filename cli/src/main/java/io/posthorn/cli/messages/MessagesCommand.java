package io.posthorn.cli.messages;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Find messages, and see what became of them. */
@Command(
    name = "messages",
    description = "Find messages, and see what became of them.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      FindCommand.class, //
      ListCommand.class,
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
