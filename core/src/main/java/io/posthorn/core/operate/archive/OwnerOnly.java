package io.posthorn.core.operate.archive;

import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Permissions of new files and directories that hold payloads: their owner's, and nobody else's.
 * Where a file system has no such permissions there are none, and its own rules hold.
 */
final class OwnerOnly {
  private static final FileAttribute<?>[] NONE = {};

  private OwnerOnly() {}

  static FileAttribute<?>[] file(Path path) {
    return of(path, "rw-------");
  }

  static FileAttribute<?>[] directory(Path path) {
    return of(path, "rwx------");
  }

  private static FileAttribute<?>[] of(Path path, String permissions) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        }
        : NONE;
  }
}
