package io.posthorn.testservers;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Starts processes that do not outlive this JVM, not even when it is killed with SIGKILL.
 *
 * <p>The kernel's parent-death signal ends them. Two of its traps are avoided here. The signal is
 * sent when the <em>thread</em> that started the child ends, so one thread that never ends starts
 * all children. A parent that dies before the signal is set up would be missed, so the child checks
 * its parent once more before it becomes the server.
 */
final class ChildProcess {
  // Set up after a change of user, which would clear the signal. The child gets its own session,
  // because Ctrl-C in the terminal is meant for this JVM, which stops its children in order.
  private static final List<String> DIE_WITH_PARENT =
      List.of(
          "setpriv",
          "--pdeathsig",
          "KILL",
          "sh",
          "-c",
          "test \"$PPID\" = \"$0\" && exec setsid \"$@\"",
          Long.toString(ProcessHandle.current().pid()));

  private static final ExecutorService PARENT =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "test-servers-parent");
            thread.setDaemon(true);
            return thread;
          });

  private ChildProcess() {}

  /** Starts the builder's command as the user that runs this JVM. */
  static Process start(ProcessBuilder builder) {
    return start(builder, Unprivileged.AS_IS);
  }

  static Process start(ProcessBuilder builder, Unprivileged user) {
    List<String> command = new ArrayList<>(user.prefix());
    command.addAll(DIE_WITH_PARENT);
    command.addAll(builder.command());
    builder.command(command);
    try {
      return PARENT.submit(builder::start).get();
    } catch (ExecutionException e) {
      String hint = e.getCause() instanceof IOException ? " (on Debian: package util-linux)" : "";
      throw new TestServerException(
          "could not start " + command + ": " + e.getCause() + hint, e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestServerException("interrupted while starting " + command, e);
    }
  }
}
