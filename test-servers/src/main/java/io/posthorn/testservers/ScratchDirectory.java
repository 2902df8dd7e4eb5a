package io.posthorn.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Directories for the files of servers. They are removed when the JVM ends; those of a killed JVM
 * are removed by the next one that asks for a directory.
 *
 * <p>Each JVM has its own folder in {@code posthorn-servers-<user>} and holds a lock on the file
 * beside it as long as it lives. A folder whose lock is free belongs to no live JVM. Creating and
 * sweeping happen under one more lock, so no folder is visible without its lock.
 */
final class ScratchDirectory {
  static final Path TEMP = Path.of(System.getProperty("java.io.tmpdir")).toAbsolutePath();
  static final String USER = System.getProperty("user.name").replaceAll("[^A-Za-z0-9._-]", "_");

  private static final String LOCK = ".lock";

  private static @Nullable Path mine;

  // Held until this JVM ends. The garbage collector would close an unreferenced channel, and
  // release the lock with it.
  @SuppressWarnings("unused")
  private static @Nullable FileChannel myLock;

  private ScratchDirectory() {}

  /** Creates an empty directory that only its owner can access, as PostgreSQL requires. */
  static Path directory(String name) {
    try {
      return Files.createTempDirectory(mine(), name + "-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Removes one directory before the JVM ends. */
  static void remove(Path directory) {
    SystemVMemory.release(directory);
    SmallDisk.release(directory);
    FileTree.delete(directory);
  }

  private static void removeFolder(Path folder) {
    try (Stream<Path> directories = Files.list(folder)) {
      directories.forEach(
          directory -> {
            SystemVMemory.release(directory);
            SmallDisk.release(directory);
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    FileTree.delete(folder);
  }

  private static synchronized Path mine() {
    if (mine == null) {
      mine = create();
    }
    return mine;
  }

  private static Path create() {
    try {
      Path all = TEMP.resolve("posthorn-servers-" + USER);
      Files.createDirectories(all);
      letPass(all);
      try (FileChannel channel = open(all.resolve(LOCK));
          FileLock sweeping = channel.lock()) {
        sweep(all);
        Path folder = Files.createTempDirectory(all, ProcessHandle.current().pid() + "-");
        letPass(folder);
        myLock = open(lockOf(folder));
        myLock.lock();
        AtExit.last(() -> removeMine(folder));
        return folder;
      }
    } catch (IOException e) {
      throw new TestServerException(
          "no directory for servers in "
              + TEMP
              + ": "
              + e
              + "; set -Djava.io.tmpdir to one that can be written to",
          e);
    }
  }

  // A server that runs as another user must be able to reach its own directory below.
  private static void letPass(Path directory) throws IOException {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
  }

  private static void sweep(Path all) throws IOException {
    List<Path> folders;
    try (Stream<Path> paths = Files.list(all)) {
      folders = paths.filter(Files::isDirectory).toList();
    }
    for (Path folder : folders) {
      try (FileChannel channel = open(lockOf(folder));
          FileLock lock = channel.tryLock()) {
        if (lock != null) {
          removeFolder(folder);
          Files.deleteIfExists(lockOf(folder));
        }
      } catch (IOException | UncheckedIOException | TestServerException e) {
        // A folder that cannot be removed does no harm; the next JVM tries again.
      }
    }
  }

  private static void removeMine(Path folder) {
    removeFolder(folder);
    FileTree.delete(lockOf(folder));
  }

  private static Path lockOf(Path folder) {
    return folder.resolveSibling(folder.getFileName() + LOCK);
  }

  private static FileChannel open(Path file) throws IOException {
    return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }
}
