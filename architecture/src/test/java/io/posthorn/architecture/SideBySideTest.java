package io.posthorn.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The blocks of the page are the regions of the code, and its table counts them. With {@code
 * -Dposthorn.write=true} the page is written.
 */
class SideBySideTest {
  private static final Path ROOT = Path.of("..");
  private static final Path PAGE = ROOT.resolve("docs/guide/side-by-side.md");
  private static final Path CODE = ROOT.resolve("examples/side-by-side/src/test");
  private static final Path JAVA = CODE.resolve("java/io/posthorn/examples/sidebyside");

  private static final Map<String, String> TASKS =
      inOrder(
          "publish", "publish in a transaction",
          "handle", "handle with retries",
          "route", "route to a broker",
          "requeue", "requeue",
          "test", "test");

  private static final Map<String, List<Path>> PROGRAMS = new LinkedHashMap<>();

  static {
    List<Path> plain =
        List.of(JAVA.resolve("PosthornTasks.java"), JAVA.resolve("PosthornTasksTest.java"));
    PROGRAMS.put("Posthorn", plain);
    PROGRAMS.put(
        "Posthorn in Spring Boot",
        List.of(
            JAVA.resolve("PosthornSpringTasks.java"), CODE.resolve("config/posthorn.properties")));
    PROGRAMS.put(
        "Spring Modulith",
        List.of(
            JAVA.resolve("ModulithTasks.java"),
            JAVA.resolve("ModulithTestTask.java"),
            CODE.resolve("config/modulith.properties")));
    PROGRAMS.put(
        "transactionoutbox",
        List.of(
            JAVA.resolve("TransactionOutboxTasks.java"),
            JAVA.resolve("TransactionOutboxTestTask.java")));
    PROGRAMS.put("MassTransit", List.of(CODE.resolve("csharp/MassTransitTasks.cs")));
  }

  private static final Pattern BLOCKS =
      Pattern.compile("(?s)<!-- code: (\\w+), ([^>]+) -->\\n\\n(?:```.*?\\n```\\n\\n?)*");
  private static final Pattern TABLE =
      Pattern.compile("(?s)<!-- table -->\\n.*?<!-- end of table -->");

  @Test
  void the_page_shows_the_code_that_is_compiled_and_counts_it() throws IOException {
    String page = Files.readString(PAGE);
    String expected = withTable(withBlocks(page));
    if (Boolean.getBoolean("posthorn.write")) {
      Files.writeString(PAGE, expected);
    }
    assertThat(page)
        .as("run this test with -Dposthorn.write=true, which writes %s", PAGE)
        .isEqualTo(expected);
  }

  @Test
  void every_task_is_shown_of_every_program() throws IOException {
    Set<String> shown =
        BLOCKS
            .matcher(Files.readString(PAGE))
            .results()
            .map(match -> match.group(1) + ", " + match.group(2))
            .collect(Collectors.toSet());
    Set<String> expected = new HashSet<>();
    for (String task : TASKS.keySet()) {
      for (String program : PROGRAMS.keySet()) {
        if (!codeOf(program, task).isEmpty()) {
          expected.add(task + ", " + program);
        }
      }
    }
    assertThat(shown).isEqualTo(expected).hasSizeGreaterThan(20);
  }

  @Test
  void lines_and_concepts_are_counted_in_the_code() throws IOException {
    List<TaskCode> publish = codeOf("Spring Modulith", "publish");
    assertThat(publish).hasSize(1);
    assertThat(publish.get(0).lines()).isEqualTo(6);
    assertThat(publish.get(0).concepts())
        .containsExactlyInAnyOrder("Transactional", "ApplicationEventPublisher");
  }

  private static String withBlocks(String page) {
    return BLOCKS
        .matcher(page)
        .replaceAll(
            match ->
                Matcher.quoteReplacement(
                    "<!-- code: %s, %s -->\n\n".formatted(match.group(1), match.group(2))
                        + codeOf(match.group(2), match.group(1)).stream()
                            .map(code -> code.block() + "\n")
                            .collect(Collectors.joining())));
  }

  private static String withTable(String page) {
    List<String> rows = new ArrayList<>();
    rows.add("| task | " + String.join(" | ", PROGRAMS.keySet()) + " |");
    rows.add("|---|" + "---|".repeat(PROGRAMS.size()));
    TASKS.forEach((task, name) -> rows.add(row(name, List.of(task))));
    rows.add(row("**all five**", List.copyOf(TASKS.keySet())));
    return TABLE
        .matcher(page)
        .replaceAll("<!-- table -->\n" + String.join("\n", rows) + "\n<!-- end of table -->");
  }

  private static String row(String name, List<String> tasks) {
    return PROGRAMS.keySet().stream()
        .map(program -> cell(tasks.stream().flatMap(task -> counted(program, task)).toList()))
        .collect(Collectors.joining(" | ", "| " + name + " | ", " |"));
  }

  /** What Spring Boot does not do in another way is done, and counted, as in plain Java. */
  private static Stream<TaskCode> counted(String program, String task) {
    List<TaskCode> own = codeOf(program, task);
    return (own.isEmpty() ? codeOf("Posthorn", task) : own).stream();
  }

  private static String cell(List<TaskCode> code) {
    long lines = code.stream().mapToLong(TaskCode::lines).sum();
    Set<String> concepts =
        code.stream().flatMap(each -> each.concepts().stream()).collect(Collectors.toSet());
    return code.stream().allMatch(TaskCode::isCompiled)
        ? lines + " / " + concepts.size()
        : lines + " / –";
  }

  private static List<TaskCode> codeOf(String program, String task) {
    List<TaskCode> found = new ArrayList<>();
    for (Path file : PROGRAMS.getOrDefault(program, List.of())) {
      try {
        found.addAll(TaskCode.in(file, task));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return found;
  }

  private static Map<String, String> inOrder(String... namesAndTexts) {
    Map<String, String> map = new LinkedHashMap<>();
    for (int i = 0; i < namesAndTexts.length; i += 2) {
      map.put(namesAndTexts[i], namesAndTexts[i + 1]);
    }
    return map;
  }
}
