package io.posthorn.cli.connection;

import io.posthorn.cli.CommandFailed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;

/** Refuses a file with a password that other users of the machine may read. */
final class PrivateFile {
  private static final Set<PosixFilePermission> OTHERS =
      EnumSet.range(PosixFilePermission.GROUP_READ, PosixFilePermission.OTHERS_EXECUTE);

  private PrivateFile() {}

  static void check(Path file) {
    PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
    if (view == null) {
      return; // such file systems have no permissions that could be checked
    }
    try {
      Set<PosixFilePermission> allowed = EnumSet.noneOf(PosixFilePermission.class);
      allowed.addAll(view.readAttributes().permissions());
      allowed.retainAll(OTHERS);
      if (!allowed.isEmpty()) {
        throw new CommandFailed(
            "nothing was done: %1$s holds a password, and other users may use the file. Run: chmod 600 %1$s"
                .formatted(file),
            null);
      }
    } catch (IOException e) {
      throw unreadable(file, e);
    }
  }

  static CommandFailed unreadable(Path file, IOException e) {
    return new CommandFailed("nothing was done: cannot read " + file + ": " + e, e);
  }
}
