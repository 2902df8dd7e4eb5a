package io.posthorn.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** People who are on call at night copy commands from the runbook. */
class RunbookTest {
  private static final Path RUNBOOK = Path.of("../docs/operate/runbook.md");
  private static final Pattern COMMAND = Pattern.compile("(?m)(?:`|^)posthorn ([a-z][^`#\n]*)");
  private static final String ID = "018f0c3e-7b1a-7c3d-9e4f-0123456789ab";

  @Test
  void every_command_of_the_runbook_is_understood() throws IOException {
    List<String> commands = commands(RUNBOOK);
    assertThat(commands).hasSizeGreaterThan(25);
    commands.forEach(RunbookTest::assertUnderstood);
  }

  /** On these pages, a command without options is only mentioned. */
  @ParameterizedTest
  @ValueSource(strings = {"doctor.md", "failover.md", "../guide/restore.md"})
  void every_command_of_the_pages_for_operators_is_understood(String page) throws IOException {
    List<String> commands =
        commands(RUNBOOK.resolveSibling(page)).stream()
            .filter(command -> command.contains(" --"))
            .toList();
    assertThat(commands).isNotEmpty();
    commands.forEach(RunbookTest::assertUnderstood);
  }

  private static List<String> commands(Path page) throws IOException {
    return COMMAND
        .matcher(Files.readString(page))
        .results()
        .map(match -> match.group(1).strip())
        .toList();
  }

  private static void assertUnderstood(String command) {
    String filled =
        command
            .replaceAll("\\b(ID|LETTER|MESSAGE)\\b", ID)
            .replaceAll("\"[^\"]*\"", "TEXT")
            .replaceAll(" +#.*", "");
    CommandLine line =
        Posthorn.commandLine(
            new PrintWriter(new StringWriter()), new PrintWriter(new StringWriter()));
    assertThatCode(() -> line.parseArgs(filled.split(" "))).as(command).doesNotThrowAnyException();
  }
}
