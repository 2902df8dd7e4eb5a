package io.posthorn.benchmarks;

import java.io.PrintWriter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The output of a benchmark, shared by all of them. */
final class Output {
  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--json",
      description = "Print one JSON object on standard output and nothing else.")
  private boolean json;

  /** Prints one line on standard error that shows the progress. */
  void progress(String text) {
    PrintWriter err = spec.commandLine().getErr();
    err.println("bench: " + text);
    err.flush();
  }

  void print(Figures figures) {
    PrintWriter out = spec.commandLine().getOut();
    out.print(json ? figures.json() + "\n" : figures.table());
    out.flush();
  }
}
