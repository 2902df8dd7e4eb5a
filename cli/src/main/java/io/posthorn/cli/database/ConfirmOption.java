package io.posthorn.cli.database;

import io.posthorn.cli.CommandFailed;
import io.posthorn.cli.connection.Profile;
import io.posthorn.cli.terminal.Plain;
import java.io.Console;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

/** The option of every command that changes something, for databases of protected profiles. */
public final class ConfirmOption {
  private static final String NAME = "--confirm";

  @SuppressWarnings("UnusedVariable") // read as the value of the option
  @Option(
      names = NAME,
      paramLabel = "PROFILE",
      description =
          "Confirm a change in the database of a protected profile: pass the profile's name. Without it, the command asks for the name.")
  private @Nullable String confirmed;

  /** Asks for the profile's name if it is protected and the command changes something. */
  static void check(CommandSpec command, Profile profile, String address) {
    OptionSpec option = command.findOption(NAME);
    if (option == null || !profile.isProtected()) {
      return;
    }
    String given = option.getValue();
    String name = given == null ? ask(profile, address) : given;
    if (!profile.name().equals(name)) {
      throw new CommandFailed(
          "nothing was done: the profile '%s' is protected, and its name was not confirmed"
              .formatted(profile.name()),
          null);
    }
  }

  // Since Java 22 the console is never null; without a terminal it reads null, which counts as no.
  @SuppressWarnings("SystemConsoleNull")
  private static @Nullable String ask(Profile profile, String address) {
    Console console = System.console();
    if (console == null) {
      throw new CommandFailed(
          "nothing was done: the profile '%1$s' is protected, and there is no terminal to ask on; pass --confirm %1$s"
              .formatted(profile.name()),
          null);
    }
    String reply =
        console.readLine(
            "This changes '%s' (%s). Type its name to go on: ",
            profile.name(), Plain.line(address.replaceFirst("\\?.*", "")));
    return reply == null ? null : reply.strip();
  }
}
