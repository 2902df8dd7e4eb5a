package io.posthorn.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.cli.Posthorn;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The demo behaves like every other command, although another module adds it. */
class DemoCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void it_explains_itself() {
    assertThat(run("demo", "--help")).isZero();

    assertThat(out.toString())
        .startsWith("Usage: posthorn demo ")
        .contains("--kill-every", "--verbose", "--stacktrace");
    assertThat(err.toString()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "demo --seconds 0",
        "demo --rate 0",
        "demo --rate many",
        "demo --kill-every -1",
        "demo --what",
      })
  void a_usage_error_says_what_is_wrong_and_where_to_look(String command) {
    assertThat(run(command.split(" "))).isEqualTo(2);

    assertThat(out.toString()).isEmpty();
    assertThat(err.toString())
        .startsWith("posthorn: ")
        .contains("--help'.")
        .doesNotContain("\tat ", "Exception");
  }

  private int run(String... args) {
    return Posthorn.commandLine(
            new PrintWriter(out, true), new PrintWriter(err, true), new DemoCommand())
        .execute(args);
  }
}
