package io.posthorn.observe;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.testservers.Promtool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AlertRulesTest {
  private static final Path RUNBOOK = Path.of("../docs/operate/runbook.md");

  @TempDir private Path directory;
  private String rules;

  @BeforeEach
  void copy() throws IOException {
    rules = Resources.text("alerts.yml");
    Files.writeString(directory.resolve("alerts.yml"), rules);
    try (var test = AlertRulesTest.class.getResourceAsStream("/alerts-test.yml")) {
      Files.write(directory.resolve("alerts-test.yml"), test.readAllBytes());
    }
  }

  private Promtool.Result test() {
    return Promtool.run(directory, "test", "rules", "alerts-test.yml");
  }

  @Test
  void every_alert_fires_when_it_should_and_only_then() {
    Promtool.Result result = test();
    assertThat(result.code()).as(result.output()).isZero();
  }

  @Test
  void a_threshold_is_changed_in_one_place() throws IOException {
    Files.writeString(
        directory.resolve("alerts.yml"), rules.replace("vector(300)", "vector(3000)"), UTF_8);
    assertThat(test().output()).contains("OutboxOldestAge").doesNotContain("OutboxFailureRate");
  }

  @Test
  void every_alert_has_an_owner_and_a_section_in_the_runbook() throws IOException {
    List<String> alerts = found("- alert: (\\w+)");
    assertThat(alerts).hasSize(10);
    assertThat(found("(<<: \\*owner)")).hasSameSizeAs(alerts);
    assertThat(found("runbook.md#(\\w+)"))
        .containsExactlyElementsOf(
            alerts.stream().map(name -> name.toLowerCase(java.util.Locale.ROOT)).toList());
    List<String> sections = Files.readAllLines(RUNBOOK);
    assertThat(sections).containsAll(alerts.stream().map(name -> "## " + name).toList());
  }

  private List<String> found(String pattern) {
    return Pattern.compile(pattern)
        .matcher(rules)
        .results()
        .map((MatchResult match) -> match.group(1))
        .toList();
  }
}
