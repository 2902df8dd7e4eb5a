package io.posthorn.architecture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The code of one task: a region of a file, and what of it is a line and a concept. */
record TaskCode(Path file, String text, Set<String> imported) {
  private static final Pattern REGION =
      Pattern.compile("(?ms)^ *(?://|#) task:%s\\n(.*?)^ *(?://|#) task:end$");
  private static final Pattern IMPORT =
      Pattern.compile(
          "(?m)^import (?!static |java\\.|javax\\.|io\\.posthorn\\.examples\\.)([\\w.]+\\.(\\w+));$");

  /** What every test and every bean has, with whatever outbox. */
  private static final Set<String> NOT_COUNTED = Set.of("Test", "Autowired");

  private static final Pattern WORD = Pattern.compile("\\b\\w+\\b");
  private static final Pattern PUNCTUATION = Pattern.compile("[(){};,\\s]*");

  /** The region of this task; empty if the file has none. */
  static List<TaskCode> in(Path file, String task) throws IOException {
    String source = Files.readString(file);
    Set<String> imported =
        IMPORT
            .matcher(source)
            .results()
            .filter(match -> !NOT_COUNTED.contains(match.group(2)))
            .map(match -> match.group(2))
            .collect(Collectors.toSet());
    return Pattern.compile(REGION.pattern().formatted(task), REGION.flags())
        .matcher(source)
        .results()
        .map(
            match ->
                new TaskCode(file, match.group(1).stripTrailing().stripIndent().strip(), imported))
        .toList();
  }

  String language() {
    String name = file.getFileName().toString();
    return switch (name.substring(name.lastIndexOf('.') + 1)) {
      case "cs" -> "csharp";
      case "properties" -> "properties";
      default -> "java";
    };
  }

  boolean isCompiled() {
    return !language().equals("csharp");
  }

  /** Lines with more than brackets on them; in C#, comments with commands are lines, too. */
  long lines() {
    return text.lines().filter(line -> !PUNCTUATION.matcher(line).matches()).count();
  }

  /** Types of libraries that the code names, and properties that it sets. */
  Set<String> concepts() {
    if (language().equals("properties")) {
      return text.lines()
          .map(line -> line.substring(0, line.indexOf('=')))
          .collect(Collectors.toSet());
    }
    Set<String> named = new HashSet<>();
    WORD.matcher(text).results().forEach(match -> named.add(match.group()));
    named.retainAll(imported);
    return named;
  }

  String block() {
    return "```" + language() + "\n" + text + "\n```\n";
  }
}
