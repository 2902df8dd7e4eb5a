package io.posthorn.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;

/** The output and the exit code of a command. */
public record Ran(int code, String out, String err) {

  /** Runs a command that prints to this writer while it runs. */
  public static int printingTo(Writer to, String... args) {
    PrintWriter printer = new PrintWriter(to, true);
    return Posthorn.commandLine(printer, printer).execute(args);
  }

  public static Ran posthorn(String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code =
        Posthorn.commandLine(new PrintWriter(out, true), new PrintWriter(err, true)).execute(args);
    return new Ran(code, out.toString(), err.toString());
  }
}
