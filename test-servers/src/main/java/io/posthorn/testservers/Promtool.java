package io.posthorn.testservers;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Prometheus' own tool for checking and testing rules. */
public final class Promtool {
  private static final String PROPERTY = "posthorn.promtool";

  private Promtool() {}

  /** The result of a run. */
  public record Result(int code, String output) {}

  /** Runs promtool in this directory. */
  public static Result run(Path directory, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(program().toString());
    command.addAll(List.of(arguments));
    try {
      Process process =
          new ProcessBuilder(command)
              .directory(directory.toFile())
              .redirectErrorStream(true)
              .start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return new Result(process.waitFor(), output);
    } catch (IOException e) {
      throw new TestServerException("could not run " + command + ": " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestServerException("interrupted while running " + command, e);
    }
  }

  static Path program() {
    Optional<String> given = UserSetting.value(PROPERTY);
    Stream<Path> places =
        given.isPresent()
            ? given.map(Path::of).stream()
            : Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                .map(directory -> Path.of(directory, "promtool"));
    return places
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(() -> notFound("promtool", given.orElse("PATH")));
  }

  static TestServerException notFound(String program, String where) {
    return new TestServerException(
        ("%s was not found in %s. Install it (on Debian: apt-get install prometheus) or "
                + "set the variable %s to the program promtool, beside which prometheus stands.")
            .formatted(program, where, UserSetting.variable(PROPERTY)));
  }
}
