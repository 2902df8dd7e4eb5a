package io.posthorn.cli.database;

import io.posthorn.cli.CommandFailed;
import java.io.Console;
import picocli.CommandLine.Option;

/** Asks before anything that is much, or cannot be taken back. */
public final class Consent {
  @Option(names = "--yes", description = "Do not ask.")
  private boolean yes;

  // From Java 22 on there always is one; without a person it reads null, which is a no.
  @SuppressWarnings("SystemConsoleNull")
  public void ask(String question) {
    if (yes) {
      return;
    }
    Console console = System.console();
    if (console == null) {
      throw new CommandFailed(
          question + " Nothing was done: say --yes, there is nobody to ask", null);
    }
    String reply = console.readLine("%s [y/N] ", question);
    if (reply == null || !reply.strip().equalsIgnoreCase("y")) {
      throw new CommandFailed("nothing was done", null);
    }
  }
}
