package io.posthorn.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * A child JVM with this JVM's class path, for tests of processes that crash, hang or are asked to
 * stop. It dies with this JVM, however that ends, together with all processes that it has started
 * itself.
 */
public final class JavaProcess implements AutoCloseable {
  private static final Duration DRAIN = Duration.ofSeconds(5);

  private final String mainClass;
  private final Process process;
  private final OutputLines output;
  private final OutputLines errors;

  JavaProcess(String mainClass, Process process, Consumer<String> onLine) {
    this.mainClass = mainClass;
    this.process = process;
    this.output = OutputLines.of("stdout of " + process.pid(), process.getInputStream(), onLine);
    this.errors =
        OutputLines.of("stderr of " + process.pid(), process.getErrorStream(), line -> {});
  }

  /** Creates a JVM that runs the {@code main} method of this class. */
  public static JavaProcessBuilder of(Class<?> mainClass) {
    return new JavaProcessBuilder(mainClass.getName());
  }

  public long pid() {
    return process.pid();
  }

  /** Returns whether the process exists; a frozen one is running too. */
  public boolean isRunning() {
    return process.isAlive();
  }

  /** Sends SIGKILL; returns when the process is gone. Does nothing if it has ended. */
  public void kill() {
    Processes.kill(process);
  }

  /** Sends SIGSTOP; returns when the process is stopped. */
  public void freeze() {
    requireRunning();
    Processes.freeze(pid());
  }

  /** Sends SIGCONT. */
  public void thaw() {
    requireRunning();
    Processes.thaw(pid());
  }

  /** Sends SIGTERM, on which a JVM runs its shutdown hooks; returns at once. */
  public void terminate() {
    requireRunning();
    Processes.terminate(pid());
  }

  /**
   * Returns the exit status: 143 after {@link #terminate}, 137 after {@link #kill}. By then, the
   * callback has seen all of its output.
   *
   * @throws TestServerException if the process does not end in time; contains the end of its output
   */
  public int awaitExit(Duration limit) {
    try {
      if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
        throw failure("did not end within " + limit.toMillis() + " ms");
      }
      output.awaitEnd(DRAIN);
      errors.awaitEnd(DRAIN);
      return process.exitValue();
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /**
   * Returns the first line of standard output that matches, whether already printed or not.
   *
   * @throws TestServerException if the process ends or the time is over without such a line;
   *     contains the end of its output
   */
  public String awaitLine(Predicate<String> predicate, Duration limit) {
    try {
      return output
          .await(predicate, limit)
          .orElseThrow(() -> failure("did not print the line waited for"));
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /** The newest 10 000 lines of its standard output. */
  public List<String> output() {
    return output.all();
  }

  /** The newest 10 000 lines of its standard error. */
  public List<String> errors() {
    return errors.all();
  }

  /** Writes a line to its standard input. */
  public void writeLine(String line) {
    try {
      process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Kills the process if it is still running. */
  @Override
  public void close() {
    kill();
  }

  // The id of an ended process may already belong to another one.
  private void requireRunning() {
    if (!isRunning()) {
      throw failure("is not running, its exit status is " + process.exitValue());
    }
  }

  private TestServerException failure(String what) {
    return new TestServerException(
        "%s, process %d, %s.%nstdout: %s%nstderr: %s"
            .formatted(mainClass, pid(), what, output.tail(), errors.tail()));
  }

  private TestServerException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new TestServerException("interrupted while waiting for " + mainClass, e);
  }
}
