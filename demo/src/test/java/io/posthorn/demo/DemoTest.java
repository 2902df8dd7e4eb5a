package io.posthorn.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.testservers.JavaProcess;
import io.posthorn.testservers.Processes;
import io.posthorn.testservers.Waiting;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Runs the demo as people do: as a process. */
class DemoTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int SERVER_AND_RELAYS = 3;
  private static final Pattern JSON = Pattern.compile("\\{(\"[a-z_]+\":\\d+(\\.\\d+)?,?)+}");

  @Test
  void relays_are_killed_and_nothing_is_lost_or_reordered() {
    try (JavaProcess demo =
        start("demo", "--headless", "--seconds", "4", "--kill-every", "1", "--json")) {
      assertThat(demo.awaitExit(PATIENCE)).isZero();

      assertThat(demo.output()).hasSize(1);
      String json = demo.output().get(0);
      assertThat(json).matches(JSON);
      assertThat(figure(json, "lost")).isZero();
      assertThat(figure(json, "reordered")).isZero();
      assertThat(figure(json, "phantom")).isZero();
      assertThat(figure(json, "duplicates")).isNotNegative();
      assertThat(figure(json, "committed")).isPositive();
      assertThat(figure(json, "delivered")).isEqualTo(figure(json, "committed"));
      assertThat(figure(json, "kills")).isPositive();
      assertThat(figure(json, "takeover_ms_max")).isPositive();
      assertThat(figure(json, "seconds")).isGreaterThanOrEqualTo(4);
    }
  }

  @Test
  void a_stopped_demo_delivers_the_rest_and_prints_its_verdict() {
    try (JavaProcess demo = start("demo", "--kill-every", "0", "--seconds", "100")) {
      awaitRunning(demo);
      List<Long> children = children(demo);

      demo.terminate();

      assertThat(demo.awaitExit(PATIENCE)).isZero();
      assertThat(demo.output())
          .anyMatch(line -> line.matches(" *committed +[\\d,]+ .*"))
          .contains("Nothing was lost, nothing was reordered.");
      assertThat(children).hasSizeGreaterThanOrEqualTo(SERVER_AND_RELAYS);
      assertThat(children).noneMatch(Processes::isRunning);
    }
  }

  @Test
  void killed_itself_it_leaves_no_process_behind() {
    try (JavaProcess demo = start("demo", "--headless")) {
      awaitRunning(demo);
      List<Long> children = children(demo);
      assertThat(children).hasSizeGreaterThanOrEqualTo(SERVER_AND_RELAYS);

      demo.kill();

      Waiting.until(
          "the children of the demo to be gone",
          PATIENCE,
          () -> children.stream().noneMatch(Processes::isRunning));
    }
  }

  private static JavaProcess start(String... args) {
    return JavaProcess.of(DemoCommand.class).args(args).start();
  }

  private static void awaitRunning(JavaProcess demo) {
    Waiting.until(
        "the demo to run",
        PATIENCE,
        () -> demo.errors().stream().anyMatch(line -> line.startsWith("running for ")));
  }

  private static List<Long> children(JavaProcess demo) {
    return ProcessHandle.of(demo.pid()).stream()
        .flatMap(ProcessHandle::descendants)
        .map(ProcessHandle::pid)
        .toList();
  }

  private static double figure(String json, String name) {
    Matcher matcher = Pattern.compile("\"" + name + "\":([\\d.]+)").matcher(json);
    assertThat(matcher.find()).as(name).isTrue();
    return Double.parseDouble(matcher.group(1));
  }
}
