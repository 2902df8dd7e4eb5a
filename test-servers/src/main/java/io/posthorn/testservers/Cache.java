package io.posthorn.testservers;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Directories that are filled once per machine and user, and only read afterwards: {@code
 * <java.io.tmpdir>/<name>-<user>}.
 *
 * <p>A directory is filled under another name and renamed when complete, so it is never visible
 * half filled. JVMs that start at the same moment may all do the work; the first to rename wins.
 */
final class Cache {
  private Cache() {}

  /** Writes the contents into an existing empty directory. */
  interface Filler {
    void fill(Path directory) throws IOException;
  }

  static Path directory(String name, Filler filler) {
    Path directory = ScratchDirectory.TEMP.resolve(name + "-" + ScratchDirectory.USER);
    try {
      if (!Files.isDirectory(directory)) {
        make(directory, filler);
      }
      refuseIfForeign(directory);
      return directory;
    } catch (IOException e) {
      throw new TestServerException("could not fill " + directory + ": " + e, e);
    }
  }

  private static void make(Path directory, Filler filler) throws IOException {
    Path unfinished = ScratchDirectory.directory("filling");
    filler.fill(unfinished);
    Files.setPosixFilePermissions(unfinished, PosixFilePermissions.fromString("rwxr-xr-x"));
    try {
      Files.move(unfinished, directory, StandardCopyOption.ATOMIC_MOVE);
    } catch (FileSystemException e) {
      FileTree.delete(unfinished);
      if (!Files.isDirectory(directory)) {
        throw e;
      }
    }
  }

  // The name is predictable, and anyone can write to the temporary directory. This check keeps the
  // JVM from running another user's programs.
  private static void refuseIfForeign(Path directory) throws IOException {
    Object owner = Files.getAttribute(directory, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    Object me = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    if (!me.equals(owner)) {
      throw new TestServerException(
          "%s belongs to user id %s, not to you (%s): remove it, or set -Djava.io.tmpdir"
              .formatted(directory, owner, me));
    }
  }
}
