package io.posthorn.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.api.security.Passwords;
import io.posthorn.cli.CommandFailed;
import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints the hash of a password, for a user in the server's file. */
@Command(
    name = "hash-password",
    description = {
      "Print the hash of a password, for password-hash of a user in the server's file.",
      "It asks for the password; without a terminal, it reads one line from standard input."
    })
final class HashPasswordCommand implements Callable<Integer> {
  private static final int SHORTEST = 12;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Override
  public Integer call() {
    String text = read();
    if (text.length() < SHORTEST || !Passwords.isPossible(text)) {
      throw new CommandFailed(
          "nothing was hashed: the password must have at least %d characters and at most %d bytes"
              .formatted(SHORTEST, Passwords.MOST_BYTES),
          null);
    }
    spec.commandLine().getOut().println(Passwords.hash(text));
    return 0;
  }

  // From JDK 22 on there is always a console, and it reads standard input, too.
  @SuppressWarnings("SystemConsoleNull")
  private static String read() {
    Console console = System.console();
    if (console != null) {
      char[] typed = console.readPassword("Password: ");
      return typed == null ? "" : new String(typed);
    }
    try {
      String line = new BufferedReader(new InputStreamReader(System.in, UTF_8)).readLine();
      return line == null ? "" : line;
    } catch (IOException e) {
      throw new CommandFailed("nothing was hashed: the password could not be read", e);
    }
  }
}
