package io.posthorn.testservers;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Frozen processes that resume when {@link #thaw} is called or this JVM dies.
 *
 * <p>The latter matters for grandchildren, such as PostgreSQL's backends: while stopped, they would
 * not notice that their parent is gone, and would stay forever. A shell therefore waits for the end
 * of a pipe that this JVM holds, and wakes them then.
 */
final class FreezeGuard {
  private static final String WAKE_AT_END_OF_INPUT = "read -r _; kill -s CONT \"$@\" 2>/dev/null";

  private final Process guard;

  private FreezeGuard(Process guard) {
    this.guard = guard;
  }

  /** Guards processes that are about to be, or already are, stopped. */
  static FreezeGuard over(Collection<Long> pids) {
    List<String> command = new ArrayList<>(List.of("sh", "-c", WAKE_AT_END_OF_INPUT, "sh"));
    pids.forEach(pid -> command.add(pid.toString()));
    try {
      return new FreezeGuard(new ProcessBuilder(command).start());
    } catch (IOException e) {
      throw new TestServerException("could not start a shell: " + e, e);
    }
  }

  /** Sends SIGCONT to all processes; returns when it has been sent. */
  void thaw() {
    try {
      guard.getOutputStream().close();
      guard.waitFor();
    } catch (IOException e) {
      throw new TestServerException("could not wake the frozen processes: " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestServerException("interrupted while waking processes", e);
    }
  }
}
