package io.posthorn.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;

/** Runs a benchmark that must succeed. */
final class BenchRun {
  private static final Pattern FIGURE = Pattern.compile("\"([a-z0-9_]+)\":(-?[0-9.]+)[,}]");

  private BenchRun() {}

  /** Returns the figures of the benchmark by name. */
  static Map<String, Double> run(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int status =
        new CommandLine(new Bench())
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(arguments);
    assertThat(status).as(err.toString()).isZero();
    assertThat(out.toString()).matches("\\{[^\n]*}\n");
    Map<String, Double> figures = new LinkedHashMap<>();
    for (Matcher found = FIGURE.matcher(out.toString()); found.find(); ) {
      figures.put(found.group(1), Double.valueOf(found.group(2)));
    }
    return figures;
  }
}
