package io.posthorn.cli;

import io.posthorn.cli.connection.Surroundings;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.Map;

/** The output and the exit code of a command. */
public record Ran(int code, String out, String err) {

  /** Runs a command that prints to this writer while it runs. */
  public static int printingTo(Writer to, String... args) {
    PrintWriter printer = new PrintWriter(to, true);
    return Posthorn.commandLine(printer, printer).execute(args);
  }

  /** Runs a command for a user without variables and without a home. */
  public static Ran posthorn(String... args) {
    return posthorn(Map.of(), Path.of("/nonexistent"), args);
  }

  /** Runs a command for a user with these variables and this home. */
  public static Ran posthorn(Map<String, String> variables, Path home, String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code =
        Posthorn.commandLine(
                new PrintWriter(out, true),
                new PrintWriter(err, true),
                new Surroundings(variables::get, home))
            .execute(args);
    return new Ran(code, out.toString(), err.toString());
  }
}
