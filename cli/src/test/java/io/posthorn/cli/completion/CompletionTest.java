package io.posthorn.cli.completion;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.cli.Ran;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The script is sourced in a real bash, which then completes a line. */
class CompletionTest {
  private static final String COMPLETE =
      """
      set -e
      compopt() { :; }   # bash has it only while a person presses Tab
      source "$1"
      COMP_WORDS=("${@:2}")
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      COMP_LINE="${COMP_WORDS[*]}"
      COMP_POINT=${#COMP_LINE}
      _complete_posthorn
      printf '%s\\n' "${COMPREPLY[@]}"
      """;

  @TempDir private Path directory;

  private String completed(String line) throws IOException, InterruptedException {
    Ran script = Ran.posthorn("completion", "bash");
    assertThat(script.err()).isEmpty();
    Path file = Files.writeString(directory.resolve("posthorn.bash"), script.out());
    ProcessBuilder bash = new ProcessBuilder("bash", "-c", COMPLETE, "bash", file.toString());
    for (String word : line.split(" ", -1)) {
      bash.command().add(word);
    }
    Process process = bash.redirectErrorStream(true).start();
    String printed = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(printed).isZero();
    return printed;
  }

  @ParameterizedTest
  @CsvSource({
    "posthorn de, dead",
    "posthorn dead requ, requeue",
    "posthorn dead requeue --wa, --wait",
    "posthorn destinations pause mail --ke, --key",
    "posthorn dead list --state DIS, DISCARDED",
    "'posthorn completion ', bash",
  })
  void bash_completes_commands_options_and_values(String line, String expected)
      throws IOException, InterruptedException {
    assertThat(completed(line).lines().map(String::strip)).contains(expected);
  }

  @Test
  void zsh_loads_its_completion_first() {
    assertThat(Ran.posthorn("completion", "zsh").out())
        .startsWith("autoload -Uz compinit && compinit")
        .contains("_complete_posthorn");
    assertThat(Ran.posthorn("completion", "fish").code()).isEqualTo(2);
  }
}
