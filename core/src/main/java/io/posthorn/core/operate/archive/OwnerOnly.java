package io.posthorn.core.operate.archive;

import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Permissions of new files and directories with payloads: only the owner has access. On a file
 * system without POSIX permissions its own rules apply.
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
