package io.posthorn.benchmarks;

import java.io.PrintWriter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Where a benchmark tells its figures: what all of them have in common. */
final class Output {
  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(names = "--json", description = "One JSON object on standard output, nothing else.")
  private boolean json;

  /** One line on standard error, so that a person knows what is going on. */
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
