package io.posthorn.testservers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The programs of one PostgreSQL version, and how to create a data directory with them.
 *
 * @param home contains {@code bin/postgres}
 * @param cacheName distinguishes these programs from others in the names of cached directories
 */
record PostgresPrograms(int major, Path home, String cacheName) {
  // Part of the cached directory's name. Raise it when the options of initdb change.
  private static final String TEMPLATE = "-initdb1";

  /**
   * Returns the programs in the directory given with {@code posthorn.postgres.<major>} or {@code
   * POSTHORN_POSTGRES_<major>}, or else those of the zonky jar, which is unpacked once per machine
   * and user.
   */
  static PostgresPrograms of(int major) {
    return UserSetting.value("posthorn.postgres." + major)
        .map(directory -> installed(major, Path.of(directory)))
        .orElseGet(() -> unpacked(major));
  }

  private static PostgresPrograms installed(int major, Path home) {
    if (!Files.isExecutable(home.resolve("bin/postgres"))) {
      throw new TestServerException(
          ("no program '%s/bin/postgres': %s must name the directory of an installed "
                  + "PostgreSQL %d, such as /usr/lib/postgresql/%d")
              .formatted(home, UserSetting.variable("posthorn.postgres." + major), major, major));
    }
    String hash = Integer.toHexString(home.toAbsolutePath().hashCode());
    return new PostgresPrograms(major, home, "posthorn-postgres-" + major + "-" + hash);
  }

  private static PostgresPrograms unpacked(int major) {
    PostgresArchive archive = new PostgresFinder(major).archive();
    try {
      String name = "posthorn-postgres-" + major + "-" + archive.checksum();
      return new PostgresPrograms(major, Cache.directory(name, archive::unpack), name);
    } catch (IOException e) {
      throw new TestServerException("could not read " + archive.url() + ": " + e, e);
    }
  }

  /**
   * Fills an empty directory with a new, empty cluster. Because {@code initdb} takes most of a
   * second, it runs once per machine and user, and its result is copied. All clusters of one
   * version therefore have the same system identifier.
   */
  void createCluster(Path dataDirectory, Unprivileged user) {
    Path template = Cache.directory(cacheName + TEMPLATE, directory -> initdb(directory, user));
    FileTree.copy(template, dataDirectory);
    user.giveTo(dataDirectory);
  }

  private void initdb(Path directory, Unprivileged user) throws IOException {
    Path made = ScratchDirectory.directory("initdb");
    user.giveTo(made);
    Path output = made.resolveSibling(made.getFileName() + ".log");
    List<String> command = new ArrayList<>();
    command.add(home.resolve("bin/initdb").toString());
    command.addAll(List.of("-D", made.toString(), "-U", "postgres", "-A", "trust"));
    command.addAll(List.of("-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"));
    int status = run(command, user, output);
    if (status != 0) {
      throw new TestServerException(
          "initdb of PostgreSQL %d ended with status %d:%n%s%nIf its programs are damaged, remove %s and try again."
              .formatted(major, status, Files.readString(output), home));
    }
    FileTree.copy(made, directory);
    FileTree.delete(made);
  }

  private static int run(List<String> command, Unprivileged user, Path output) {
    Process process =
        ChildProcess.start(
            new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()),
            user);
    try {
      return process.waitFor();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new TestServerException("interrupted while running initdb", e);
    }
  }
}
