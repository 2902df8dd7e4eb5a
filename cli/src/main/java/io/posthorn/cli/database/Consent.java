package io.posthorn.cli.database;

import io.posthorn.cli.CommandFailed;
import java.io.Console;
import picocli.CommandLine.Option;

/** Asks for confirmation before a large or irreversible change. */
public final class Consent {
  @Option(names = "--yes", description = "Do not ask for confirmation.")
  private boolean yes;

  // Since Java 22 the console is never null; without a terminal it reads null, which counts as no.
  @SuppressWarnings("SystemConsoleNull")
  public void ask(String question) {
    if (yes) {
      return;
    }
    Console console = System.console();
    if (console == null) {
      throw new CommandFailed(
          question + " Nothing was done: there is no terminal to ask on; pass --yes to confirm",
          null);
    }
    String reply = console.readLine("%s [y/N] ", question);
    if (reply == null || !reply.strip().equalsIgnoreCase("y")) {
      throw new CommandFailed("nothing was done: you did not confirm", null);
    }
  }
}
