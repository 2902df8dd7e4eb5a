package io.posthorn.testservers;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A running program in JavaScript, with the packages that its {@code package-lock.json} names. */
public final class NodeScript implements AutoCloseable {
  private static final String NODE = "posthorn.node";
  private static final String NPM = "posthorn.npm";
  private static final String LOCK = "package-lock.json";

  private final Process process;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final OutputLines errors;

  private NodeScript(Process process) {
    this.process = process;
    OutputLines.of("node", process.getInputStream(), lines::add);
    this.errors = OutputLines.of("node-errors", process.getErrorStream(), line -> {});
  }

  /**
   * Starts a program. Its packages are fetched on first use, in the versions and with the checksums
   * of its lock file, and kept in the directory.
   *
   * @param sources the directory with the program, {@code package.json} and {@code
   *     package-lock.json}
   * @param directory where to keep the packages
   */
  public static NodeScript start(Path sources, Path directory, String script, String... arguments) {
    try {
      install(sources, directory);
      Path program = directory.resolve(script);
      Files.copy(sources.resolve(script), program, StandardCopyOption.REPLACE_EXISTING);
      List<String> command =
          new ArrayList<>(List.of(program(NODE, "node", "nodejs").toString(), program.toString()));
      command.addAll(List.of(arguments));
      return new NodeScript(ChildProcess.start(new ProcessBuilder(command)));
    } catch (IOException e) {
      throw new TestServerException("could not start " + script + ": " + e.getMessage(), e);
    }
  }

  private static void install(Path sources, Path directory) throws IOException {
    Path installed = directory.resolve("node_modules");
    Path lock = directory.resolve(LOCK);
    if (Files.isDirectory(installed)
        && Files.exists(lock)
        && Files.mismatch(lock, sources.resolve(LOCK)) < 0) {
      return;
    }
    Files.createDirectories(directory);
    Files.deleteIfExists(lock);
    Path work = Files.createDirectories(directory.resolve("install"));
    for (String file : List.of("package.json", LOCK)) {
      Files.copy(sources.resolve(file), work.resolve(file), StandardCopyOption.REPLACE_EXISTING);
    }
    npm(work, "ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund");
    FileTree.delete(installed);
    Files.move(work.resolve("node_modules"), installed);
    // The last step, because the copy says that the packages are complete.
    Files.copy(sources.resolve(LOCK), lock);
  }

  private static void npm(Path directory, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(program(NPM, "npm", "npm").toString()));
    command.addAll(List.of(arguments));
    try {
      Process npm =
          new ProcessBuilder(command)
              .directory(directory.toFile())
              .redirectErrorStream(true)
              .start();
      String output = new String(npm.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (npm.waitFor() != 0) {
        throw new TestServerException(
            "could not fetch the packages of %s with '%s': %s"
                .formatted(directory, String.join(" ", command), output.strip()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestServerException("interrupted while running " + command, e);
    }
  }

  private static Path program(String property, String name, String debian) {
    Optional<String> given = UserSetting.value(property);
    Stream<Path> places =
        given.isPresent()
            ? given.map(Path::of).stream()
            : Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                .map(directory -> Path.of(directory, name));
    return places
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(
            () ->
                new TestServerException(
                    "%s was not found in %s. Install it (on Debian: apt-get install %s) or set the variable %s to the program."
                        .formatted(
                            name, given.orElse("PATH"), debian, UserSetting.variable(property))));
  }

  /** Returns the next line that the program prints. */
  public String line(Duration patience) {
    try {
      String line = lines.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
      if (line == null) {
        throw new TestServerException(
            "the program printed nothing for %s; its errors: %s"
                .formatted(patience, errors.tail()));
      }
      return line;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestServerException("interrupted while waiting for a line", e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
