package io.posthorn.testservers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Sends signals to processes, and reads their state from /proc. */
public final class Processes {
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final char STOPPED = 'T';
  private static final char ZOMBIE = 'Z';
  private static final char GONE = 0;

  private Processes() {}

  /** Sends SIGSTOP; returns when the process is stopped. */
  public static void freeze(long pid) {
    freeze(List.of(pid));
  }

  /** Sends SIGCONT. */
  public static void thaw(long pid) {
    signal("CONT", List.of(pid));
  }

  /** Sends SIGKILL; returns when the process is gone. */
  public static void kill(long pid) {
    kill(List.of(pid));
  }

  /**
   * Sends SIGKILL to a child of this JVM; returns when it has ended and its exit status is read.
   */
  static void kill(Process child) {
    child.destroyForcibly();
    try {
      child.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestServerException("interrupted while process " + child.pid() + " was ending", e);
    }
  }

  /** Sends SIGTERM; returns at once. */
  public static void terminate(long pid) {
    signal("TERM", List.of(pid));
  }

  /** Returns whether the process runs. A zombie does not: it holds no memory, file or port. */
  public static boolean isRunning(long pid) {
    char state = state(pid);
    return state != GONE && state != ZOMBIE;
  }

  static void freeze(Collection<Long> pids) {
    signal("STOP", pids);
    Waiting.until(
        "processes " + pids + " to stand still",
        LIMIT,
        () -> pids.stream().allMatch(pid -> state(pid) == STOPPED || !isRunning(pid)));
  }

  static void kill(Collection<Long> pids) {
    signal("KILL", pids);
    Waiting.until(
        "processes " + pids + " to be gone",
        LIMIT,
        () -> pids.stream().noneMatch(Processes::isRunning));
  }

  static List<Long> children(long pid) {
    return ProcessHandle.of(pid).stream()
        .flatMap(ProcessHandle::children)
        .map(ProcessHandle::pid)
        .toList();
  }

  /** Sends a signal to those of the processes that still exist. */
  static void signal(String signal, Collection<Long> pids) {
    if (pids.isEmpty()) {
      return;
    }
    // Uses the shell's own kill, because small systems lack the program of that name.
    List<String> command = new ArrayList<>();
    command.addAll(List.of("sh", "-c", "kill -s \"$@\" 2>/dev/null", "sh", signal));
    pids.forEach(pid -> command.add(pid.toString()));
    run(command);
  }

  /** Runs a short command and returns its exit status; discards its output. */
  static int run(List<String> command) {
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (!process.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
        throw new TestServerException("no end of " + command + " within " + LIMIT);
      }
      return process.exitValue();
    } catch (IOException e) {
      throw new TestServerException("could not run " + command + ": " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestServerException("interrupted while running " + command, e);
    }
  }

  private static char state(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
      // The second field is the name in parentheses, which may itself contain blanks and
      // parentheses.
      return stat.charAt(stat.lastIndexOf(')') + 2);
    } catch (IOException e) {
      return GONE;
    }
  }
}
