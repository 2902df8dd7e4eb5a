package io.posthorn.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Copies and removes directories with everything in them. */
final class FileTree {
  private static final int TRIES = 5;

  private FileTree() {}

  /** Copies into an existing empty directory. Modes and symbolic links are kept. */
  static void copy(Path from, Path to) {
    try (Stream<Path> paths = Files.walk(from)) {
      for (Path path : (Iterable<Path>) paths.skip(1)::iterator) {
        Files.copy(
            path,
            to.resolve(from.relativize(path)),
            StandardCopyOption.COPY_ATTRIBUTES,
            LinkOption.NOFOLLOW_LINKS);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Removes the directory if it exists, even while a dying process still writes into it. */
  static void delete(Path directory) {
    for (int tries = 1; ; tries++) {
      try {
        deleteOnce(directory);
        return;
      } catch (IOException | UncheckedIOException e) {
        if (tries == TRIES) {
          throw new TestServerException("could not remove " + directory + ": " + e, e);
        }
      }
    }
  }

  private static void deleteOnce(Path directory) throws IOException {
    List<Path> deepestFirst;
    try (Stream<Path> paths = Files.walk(directory)) {
      deepestFirst = paths.sorted(Comparator.reverseOrder()).toList();
    } catch (NoSuchFileException e) {
      return;
    }
    for (Path path : deepestFirst) {
      Files.deleteIfExists(path);
    }
  }
}
