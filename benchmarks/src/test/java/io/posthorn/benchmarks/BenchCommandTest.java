package io.posthorn.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.cli.Posthorn;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The benchmarks behave like every other command, although another module adds them. */
class BenchCommandTest {
  @ParameterizedTest
  @ValueSource(strings = {"bench", "bench drain", "bench deliver"})
  void each_explains_itself(String command) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();

    int code =
        Posthorn.commandLine(new PrintWriter(out, true), new PrintWriter(err, true), new Bench())
            .execute((command + " --help").split(" "));

    assertThat(code).isZero();
    assertThat(out.toString())
        .startsWith("Usage: posthorn " + command + " ")
        .contains("--verbose", "--stacktrace");
    assertThat(err.toString()).isEmpty();
  }
}
