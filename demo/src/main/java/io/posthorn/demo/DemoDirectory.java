package io.posthorn.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The files of one demo. They are removed at the end, also if a signal ends the demo. The next demo
 * removes the files of a demo that was killed.
 */
final class DemoDirectory implements AutoCloseable {
  private static final Pattern NAME = Pattern.compile("posthorn-demo-(\\d+)-\\d+");

  private final Path path;

  DemoDirectory() throws IOException {
    Path parent = Path.of(System.getProperty("java.io.tmpdir"));
    long pid = ProcessHandle.current().pid();
    this.path = Files.createTempDirectory(parent, "posthorn-demo-" + pid + "-");
    Runtime.getRuntime().addShutdownHook(new Thread(this::close, "demo-directory-exit"));
    sweep(parent);
  }

  Path path() {
    return path;
  }

  private static void sweep(Path parent) throws IOException {
    List<Path> siblings;
    try (Stream<Path> found = Files.list(parent)) {
      siblings = found.toList();
    }
    for (Path sibling : siblings) {
      Matcher name = NAME.matcher(sibling.getFileName().toString());
      if (name.matches() && ProcessHandle.of(Long.parseLong(name.group(1))).isEmpty()) {
        remove(sibling);
      }
    }
  }

  @Override
  public void close() {
    remove(path);
  }

  private static void remove(Path directory) {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path file : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      // The directory is gone, belongs to another user, or a relay still writes to it. The next
      // demo removes what is left.
      return;
    }
  }
}
