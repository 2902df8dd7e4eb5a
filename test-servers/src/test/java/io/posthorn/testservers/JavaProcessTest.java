package io.posthorn.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class JavaProcessTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @Test
  void it_gets_arguments_properties_options_and_variables_and_its_lines_are_seen() {
    List<String> lines = new CopyOnWriteArrayList<>();
    try (JavaProcess jvm =
        JavaProcess.of(Chatter.class)
            .args("a", "b c")
            .systemProperty("chatter", "x y")
            .environment("CHATTER", "z")
            .jvmOption("-Xmx32m", "-XX:TieredStopAtLevel=1")
            .onLine(lines::add)
            .start()) {
      jvm.awaitLine(line -> line.startsWith("variable"), PATIENCE);
      jvm.terminate();
      assertThat(jvm.awaitExit(PATIENCE)).isEqualTo(143);

      assertThat(lines).containsExactly("args a b c", "property x y", "variable z", "hook");
      assertThat(jvm.output()).isEqualTo(lines);
      assertThat(jvm.errors()).containsExactly("to stderr");
    }
  }

  @Test
  void killed_it_runs_no_shutdown_hook() {
    try (JavaProcess jvm = JavaProcess.of(Chatter.class).start()) {
      jvm.awaitLine(line -> line.startsWith("variable"), PATIENCE);
      jvm.kill();

      assertThat(jvm.isRunning()).isFalse();
      assertThat(jvm.awaitExit(PATIENCE)).isEqualTo(137);
      assertThat(jvm.output()).doesNotContain("hook");
    }
  }

  @Test
  void frozen_it_does_nothing_until_thawed() {
    try (JavaProcess jvm = JavaProcess.of(Chatter.class).start()) {
      jvm.awaitLine(line -> line.startsWith("variable"), PATIENCE);
      jvm.freeze();
      jvm.writeLine("hello");
      assertThatThrownBy(() -> jvm.awaitLine("read hello"::equals, Duration.ofMillis(200)))
          .hasMessageContaining("did not print");
      assertThat(jvm.isRunning()).isTrue();

      jvm.thaw();

      assertThat(jvm.awaitLine("read hello"::equals, PATIENCE)).isEqualTo("read hello");
    }
  }

  @Test
  void killed_it_takes_the_jvms_it_started_with_it() {
    try (JavaProcess jvm = JavaProcess.of(Chatter.class).args("nest").start()) {
      String line = jvm.awaitLine(l -> l.startsWith("child "), PATIENCE);
      long child = Long.parseLong(line.substring("child ".length()));
      assertThat(Processes.isRunning(child)).isTrue();

      jvm.kill();

      Waiting.until("the child to end", PATIENCE, () -> !Processes.isRunning(child));
    }
  }

  @Test
  void one_that_does_not_end_in_time_is_an_error_with_its_output() {
    try (JavaProcess jvm = JavaProcess.of(Chatter.class).args("some").start()) {
      jvm.awaitLine(line -> line.startsWith("variable"), PATIENCE);
      assertThatThrownBy(() -> jvm.awaitExit(Duration.ofMillis(1)))
          .hasMessageContaining("did not end within 1 ms")
          .hasMessageContaining("args some");
    }
  }

  @Test
  void one_that_has_ended_is_not_signalled() {
    try (JavaProcess jvm = JavaProcess.of(Chatter.class).jvmOption("-XX:NoSuchOption").start()) {
      assertThat(jvm.awaitExit(PATIENCE)).isEqualTo(1);
      assertThatThrownBy(jvm::freeze).hasMessageContaining("NoSuchOption");
    }
  }
}
