package io.posthorn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The page of the command line has every command with its options and exit codes. */
class ReferencePageTest {
  private static final Path PAGE = Path.of("../docs/reference/cli.md");
  private static final String START = "<!-- from the commands -->";

  /** A group of options that many commands share, described once. */
  private record Shared(String title, List<String> options) {}

  private static final List<Shared> SHARED =
      List.of(
          new Shared("all commands", List.of("--help", "--version", "--verbose", "--stacktrace")),
          new Shared(
              "commands with a database",
              List.of(
                  "--url",
                  "--profile",
                  "--user",
                  "--password",
                  "--password-env",
                  "--password-file",
                  "--schema",
                  "--prefix")),
          new Shared("commands that change something", List.of("--why", "--who", "--confirm")),
          new Shared("commands with an answer", List.of("--json")),
          new Shared("commands that ask first", List.of("--yes")));

  private static CommandSpec root() {
    PrintWriter nobody = new PrintWriter(new StringWriter());
    return Posthorn.commandLine(nobody, nobody).getCommandSpec();
  }

  @Test
  void the_page_has_every_command_and_no_other() throws IOException {
    String page = Files.readString(PAGE);
    int start = page.indexOf(START);
    assertThat(start).as("the marker %s", START).isPositive();
    String expected = generated();
    if (Boolean.getBoolean("posthorn.write")) {
      Files.writeString(PAGE, page.substring(0, start) + START + "\n" + expected);
      return;
    }
    assertThat(page.substring(start + START.length() + 1))
        .as("run: mvn -pl cli -am test -Dtest=ReferencePageTest -Dposthorn.write=true")
        .isEqualTo(expected);
  }

  /** One number means the same everywhere. */
  @Test
  void every_command_documents_exit_codes_of_the_one_list() {
    TreeSet<String> known = new TreeSet<>(Exit.all().keySet());
    for (CommandSpec command : commands(root())) {
      Map<String, String> own = command.usageMessage().exitCodeList();
      assertThat(own.keySet()).as(command.qualifiedName()).isNotEmpty().isSubsetOf(known);
      assertThat(command.usageMessage().exitCodeListHeading())
          .as(command.qualifiedName())
          .isNotBlank();
    }
  }

  private static String generated() {
    StringBuilder text = new StringBuilder("\n## Exit codes\n\n| code | meaning |\n|---|---|\n");
    Exit.all().forEach((code, meaning) -> text.append(row(code, meaning)));
    text.append(row("130", "interrupted, for example by Ctrl-C"));
    CommandSpec root = root();
    for (Shared shared : SHARED) {
      text.append("\n### Options of ").append(shared.title()).append("\n\n");
      text.append("| option | meaning |\n|---|---|\n");
      shared.options().forEach(name -> text.append(row(option(root, name))));
    }
    text.append("\n## Commands\n");
    commands(root).forEach(command -> text.append(section(command)));
    return text.toString();
  }

  private static OptionSpec option(CommandSpec root, String name) {
    return commands(root).stream()
        .filter(command -> command.findOption(name) != null)
        .map(command -> command.findOption(name))
        .findFirst()
        .orElseThrow();
  }

  /** Returns the commands that do something; a group such as {@code dead} only has others. */
  private static List<CommandSpec> commands(CommandSpec command) {
    List<CommandSpec> all = new ArrayList<>();
    if (command.subcommands().isEmpty()) {
      all.add(command);
    }
    for (CommandLine sub : command.subcommands().values()) {
      all.addAll(commands(sub.getCommandSpec()));
    }
    return all;
  }

  private static String section(CommandSpec command) {
    StringBuilder text = new StringBuilder("\n### ").append(command.qualifiedName()).append("\n\n");
    for (String line : command.usageMessage().description()) {
      text.append(wrapped(line)).append('\n');
    }
    List<String> rows = new ArrayList<>();
    for (PositionalParamSpec parameter : command.positionalParameters()) {
      rows.add(row("`" + parameter.paramLabel() + "`", String.join(" ", parameter.description())));
    }
    for (OptionSpec option : command.options()) {
      if (SHARED.stream().noneMatch(x -> x.options().contains(option.longestName()))) {
        rows.add(row(option));
      }
    }
    if (!rows.isEmpty()) {
      text.append("\n| argument | meaning |\n|---|---|\n").append(String.join("", rows));
    }
    text.append('\n').append(wrapped("Shared options: " + shared(command) + ".")).append('\n');
    text.append(exits(command));
    return text.toString();
  }

  /** Names the groups that the command has whole, and single options of the others. */
  private static String shared(CommandSpec command) {
    List<String> parts = new ArrayList<>();
    for (Shared group : SHARED) {
      List<String> has =
          group.options().stream().filter(name -> command.findOption(name) != null).toList();
      if (has.size() > 1 && has.equals(group.options())) {
        parts.add("[%s](#options-of-%s)".formatted(group.title(), group.title().replace(' ', '-')));
      } else {
        has.forEach(name -> parts.add("`" + name + "`"));
      }
    }
    return String.join(", ", parts);
  }

  private static String exits(CommandSpec command) {
    Map<String, String> own = command.usageMessage().exitCodeList();
    StringBuilder text = new StringBuilder("\nExit codes: ");
    text.append(String.join(", ", own.keySet())).append(".");
    List<String> special = new ArrayList<>();
    own.forEach(
        (code, meaning) -> {
          if (!meaning.equals(Exit.all().get(code))) {
            special.add(code + ": " + meaning);
          }
        });
    if (!special.isEmpty()) {
      text.append(" Here, ").append(String.join("; ", special)).append('.');
    }
    return wrapped(text.toString().strip()).indent(0).replaceFirst("^", "\n");
  }

  private static String row(OptionSpec option) {
    String names = String.join(", ", option.names());
    String value = option.arity().max() == 0 ? "" : " " + option.paramLabel();
    String required = option.required() ? "Required. " : "";
    return row("`" + names + value + "`", required + String.join(" ", option.description()));
  }

  private static String row(String first, String second) {
    return "| %s | %s |\n".formatted(first.replace("|", "\\|"), second.replace("|", "\\|"));
  }

  /** Breaks prose at 120 columns. */
  private static String wrapped(String line) {
    StringBuilder text = new StringBuilder();
    int width = 0;
    for (String word : line.split(" ")) {
      if (width > 0 && width + 1 + word.length() > 120) {
        text.append('\n');
        width = 0;
      } else if (width > 0) {
        text.append(' ');
        width++;
      }
      text.append(word);
      width += word.length();
    }
    return text.toString();
  }
}
