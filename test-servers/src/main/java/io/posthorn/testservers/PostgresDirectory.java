package io.posthorn.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The data directory of one server.
 *
 * @param temporary whether it is removed together with the server
 */
record PostgresDirectory(Path path, boolean temporary) {
  private static final int TAIL_LINES = 40;
  // Files of the running server, not of its data.
  private static final List<String> OF_THE_PROCESS =
      List.of("postmaster.pid", "postmaster.opts", "server.log");

  /** Returns a directory with a cluster in it: the given one, or a new temporary one. */
  static PostgresDirectory prepare(
      PostgresPrograms programs, Unprivileged user, @Nullable Path given) {
    try {
      PostgresDirectory directory =
          given == null
              ? new PostgresDirectory(ScratchDirectory.directory("postgres"), true)
              : new PostgresDirectory(given, false);
      directory.createIfMissing();
      directory.initialiseIfEmpty(programs, user);
      return directory;
    } catch (IOException e) {
      throw new TestServerException("no data directory for PostgreSQL: " + e, e);
    }
  }

  private void createIfMissing() throws IOException {
    if (!Files.isDirectory(path)) {
      Files.createDirectories(path);
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx------"));
    }
  }

  private void initialiseIfEmpty(PostgresPrograms programs, Unprivileged user) throws IOException {
    Path version = path.resolve("PG_VERSION");
    if (!Files.exists(version)) {
      programs.createCluster(path, user);
      Files.writeString(
          path.resolve("postgresql.conf"), PostgresSettings.INCLUDE, StandardOpenOption.APPEND);
    }
    String found = Files.readString(version).strip();
    if (!found.equals(Integer.toString(programs.major()))) {
      throw new TestServerException(
          "%s holds data of PostgreSQL %s and cannot be used with %d: take version(%s) or another directory"
              .formatted(path, found, programs.major(), found));
    }
  }

  void configure(PostgresSettings settings) {
    try {
      Files.writeString(path.resolve(PostgresSettings.FILE), settings.fileContents());
    } catch (IOException e) {
      throw new TestServerException("could not configure PostgreSQL, is it closed? " + e, e);
    }
  }

  /** Makes the server in this directory follow another one until it is promoted. */
  void markAsStandby(Unprivileged user) {
    try {
      Files.writeString(path.resolve("standby.signal"), "");
      user.giveTo(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  PostgresDirectory copy(Unprivileged user) {
    PostgresDirectory copy = new PostgresDirectory(ScratchDirectory.directory("postgres"), true);
    FileTree.copy(path, copy.path);
    try {
      for (String file : OF_THE_PROCESS) {
        Files.deleteIfExists(copy.path.resolve(file));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    user.giveTo(copy.path);
    return copy;
  }

  Path log() {
    return path.resolve("server.log");
  }

  String logTail() {
    try {
      List<String> lines = Files.readAllLines(log(), StandardCharsets.UTF_8);
      return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
    } catch (IOException e) {
      return "(no log: " + e + ")";
    }
  }

  void removeIfTemporary() {
    if (temporary) {
      ScratchDirectory.remove(path);
    }
  }
}
