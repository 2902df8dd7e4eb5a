package io.posthorn.testservers;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A disk of a few megabytes for the data of a server, so that a test can fill it. As root, a disk
 * in memory is mounted. Other users pass the empty directory of one in {@code POSTHORN_SMALL_DISK}.
 */
public final class SmallDisk implements AutoCloseable {
  private static final String GIVEN = "posthorn.small.disk";
  private static final Path MOUNTS = Path.of("/proc/self/mounts");
  private static final int PORTION = 64 * 1024;

  private final Path directory;
  private final boolean mounted;
  private final Runnable atExit = this::remove;

  private SmallDisk(Path directory, boolean mounted) {
    this.directory = directory;
    this.mounted = mounted;
    AtExit.first(atExit);
  }

  public static SmallDisk ofMegabytes(int size) {
    return UserSetting.value(GIVEN)
        .map(given -> new SmallDisk(Path.of(given), false))
        .orElseGet(() -> mount(size));
  }

  private static SmallDisk mount(int megabytes) {
    Path directory = ScratchDirectory.directory("disk");
    List<String> mount =
        List.of(
            "mount", "-t", "tmpfs", "-o", "size=" + megabytes + "m", "tmpfs", directory.toString());
    if (Processes.run(mount) != 0) {
      throw new TestServerException(
          ("no small disk could be mounted: run as root, or let root mount one (mount -t "
                  + "tmpfs -o size=%dm,mode=1777 tmpfs DIRECTORY) and set %s to its directory")
              .formatted(megabytes, UserSetting.variable(GIVEN)));
    }
    return new SmallDisk(directory, true);
  }

  /** Unmounts the disk mounted here, if there is one. */
  static void release(Path directory) {
    try {
      if (Files.readString(MOUNTS).contains(" " + directory + " ")
          && Processes.run(List.of("umount", "-l", directory.toString())) != 0) {
        throw new TestServerException("could not unmount " + directory);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public Path directory() {
    return directory;
  }

  private Path ballast() {
    return directory.resolve("ballast");
  }

  /** Uses up all remaining space. */
  public void fill() {
    byte[] portion = new byte[PORTION];
    try (OutputStream out = Files.newOutputStream(ballast())) {
      while (true) {
        out.write(portion);
      }
    } catch (IOException e) {
      requireFull(e);
    }
  }

  private void requireFull(IOException e) {
    try {
      if (Files.getFileStore(directory).getUsableSpace() > PORTION) {
        throw new TestServerException("could not fill " + directory + ": " + e, e);
      }
    } catch (IOException unknown) {
      throw new UncheckedIOException(unknown);
    }
  }

  /** Frees the space that {@link #fill} has used. */
  public void free() {
    try {
      Files.deleteIfExists(ballast());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    AtExit.forget(atExit);
    remove();
  }

  /** Removes everything on the disk; a disk that was passed in stays mounted. */
  private void remove() {
    if (mounted) {
      ScratchDirectory.remove(directory);
      return;
    }
    try (Stream<Path> files = Files.list(directory)) {
      files.forEach(ScratchDirectory::remove);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
