package io.posthorn.server;

import io.posthorn.cli.Posthorn;

/** The program of the distribution: the server, and all commands of the command line. */
public final class Main {
  private static final String LOGBACK = "logback.configurationFile";

  private Main() {}

  public static void main(String[] args) {
    // Commands are quiet; the server replaces this by its own log when it starts.
    System.setProperty(LOGBACK, "io/posthorn/server/commands.xml");
    Posthorn.run(args, new ServerCommand());
  }

  /** Lets Spring Boot set up the log; it warns if this is still set. */
  static void releaseLog() {
    System.clearProperty(LOGBACK);
  }
}
