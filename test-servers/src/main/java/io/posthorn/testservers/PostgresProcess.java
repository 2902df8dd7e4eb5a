package io.posthorn.testservers;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A running postmaster, which is a direct child of this JVM, and the processes it has started. */
final class PostgresProcess {
  private static final Duration ORDERLY_END = Duration.ofSeconds(20);

  private final Process postmaster;
  private @Nullable FreezeGuard frozen;

  private PostgresProcess(Process postmaster) {
    this.postmaster = postmaster;
  }

  static PostgresProcess start(
      PostgresPrograms programs,
      Path dataDirectory,
      Path log,
      Unprivileged user,
      Map<String, String> environment) {
    ProcessBuilder builder =
        new ProcessBuilder(
                programs.home().resolve("bin/postgres").toString(), "-D", dataDirectory.toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    builder.environment().putAll(environment);
    return new PostgresProcess(ChildProcess.start(builder, user));
  }

  long pid() {
    return postmaster.pid();
  }

  boolean isRunning() {
    return postmaster.isAlive();
  }

  void freeze() {
    if (frozen == null) {
      List<Long> all = freezePostmasterAndFindAll();
      frozen = FreezeGuard.over(all);
      Processes.freeze(all);
    }
  }

  void thaw() {
    if (frozen != null) {
      frozen.thaw();
      frozen = null;
    }
  }

  /** Sends a signal that asks the server to end, and kills it if it does not. */
  void end(String signal) {
    thaw();
    Processes.signal(signal, List.of(pid()));
    if (!hasEndedWithin(ORDERLY_END)) {
      kill();
    }
  }

  /** Sends SIGKILL to all its processes; returns when they are gone and the directory is free. */
  void kill() {
    List<Long> all = freezePostmasterAndFindAll();
    Processes.kill(all);
    // Until the JVM has reaped the postmaster, its process id exists, and a new one would refuse to
    // start.
    if (!hasEndedWithin(ORDERLY_END)) {
      throw new TestServerException("PostgreSQL, process " + pid() + ", survived SIGKILL");
    }
    thaw();
  }

  // A stopped postmaster starts no further process, so the list stays complete.
  private List<Long> freezePostmasterAndFindAll() {
    if (!isRunning()) {
      return List.of();
    }
    Processes.freeze(pid());
    List<Long> all = new ArrayList<>(Processes.children(pid()));
    all.add(pid());
    return all;
  }

  private boolean hasEndedWithin(Duration limit) {
    try {
      return postmaster.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestServerException("interrupted while PostgreSQL was ending", e);
    }
  }
}
