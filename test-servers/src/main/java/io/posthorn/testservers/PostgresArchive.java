package io.posthorn.testservers;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/** The programs of one PostgreSQL version as the zonky jars contain them: a {@code .txz} file. */
record PostgresArchive(URL url) {
  private static final int OWNER_EXECUTE = 0100;

  /** Distinguishes archives. Inside a jar the checksum is already stored, and costs nothing. */
  String checksum() throws IOException {
    return String.format("%08x", crc());
  }

  private long crc() throws IOException {
    URLConnection connection = connect();
    if (connection instanceof JarURLConnection jar) {
      try (InputStream opened = jar.getInputStream()) {
        return jar.getJarEntry().getCrc();
      }
    }
    try (CheckedInputStream in = new CheckedInputStream(connection.getInputStream(), new CRC32())) {
      in.transferTo(OutputStream.nullOutputStream());
      return in.getChecksum().getValue();
    }
  }

  /** Unpacks into the directory. Symbolic links and execute permissions are kept. */
  void unpack(Path directory) throws IOException {
    try (TarArchiveInputStream tar =
        new TarArchiveInputStream(
            new XZInputStream(new BufferedInputStream(connect().getInputStream())))) {
      for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        write(tar, entry, inside(directory, entry.getName()));
      }
    }
  }

  private static void write(TarArchiveInputStream tar, TarArchiveEntry entry, Path target)
      throws IOException {
    if (entry.isDirectory()) {
      Files.createDirectories(target);
      return;
    }
    Path parent = target.getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    if (entry.isSymbolicLink()) {
      Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
    } else {
      Files.copy(tar, target);
      Files.setPosixFilePermissions(target, permissions(entry.getMode()));
    }
  }

  private static Set<PosixFilePermission> permissions(int mode) {
    Set<PosixFilePermission> permissions =
        EnumSet.of(
            PosixFilePermission.OWNER_READ,
            PosixFilePermission.OWNER_WRITE,
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.OTHERS_READ);
    if ((mode & OWNER_EXECUTE) != 0) {
      permissions.add(PosixFilePermission.OWNER_EXECUTE);
      permissions.add(PosixFilePermission.GROUP_EXECUTE);
      permissions.add(PosixFilePermission.OTHERS_EXECUTE);
    }
    return permissions;
  }

  private static Path inside(Path directory, String name) throws IOException {
    Path target = directory.resolve(name).normalize();
    if (!target.startsWith(directory)) {
      throw new IOException("entry '" + name + "' would be written outside of " + directory);
    }
    return target;
  }

  private URLConnection connect() throws IOException {
    URLConnection connection = url.openConnection();
    // A cached jar stays open for the life of the JVM, even after the build has replaced it.
    connection.setUseCaches(false);
    return connection;
  }
}
