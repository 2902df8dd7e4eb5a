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
 * A child JVM with the class path of this one, for tests of what happens when a process crashes,
 * hangs or is told to stop. It dies with this JVM, however that ends, and takes those it has
 * started itself with it.
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

  /** A JVM that is to run the {@code main} method of this class. */
  public static JavaProcessBuilder of(Class<?> mainClass) {
    return new JavaProcessBuilder(mainClass.getName());
  }

  public long pid() {
    return process.pid();
  }

  /** Frozen counts as running. */
  public boolean isRunning() {
    return process.isAlive();
  }

  /** SIGKILL; returns when the process is gone. Nothing if it has ended. */
  public void kill() {
    process.destroyForcibly();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /** SIGSTOP; returns when it stands still. */
  public void freeze() {
    requireRunning();
    Processes.freeze(pid());
  }

  /** SIGCONT. */
  public void thaw() {
    requireRunning();
    Processes.thaw(pid());
  }

  /** SIGTERM, on which a JVM runs its shutdown hooks; returns at once. */
  public void terminate() {
    requireRunning();
    Processes.terminate(pid());
  }

  /**
   * The exit status: 143 after {@link #terminate}, 137 after {@link #kill}. All of its output has
   * then been seen by the callback.
   *
   * @throws TestServerException if it does not end in time, with the end of its output
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
   * The first line of its standard output, printed already or yet to come, that matches.
   *
   * @throws TestServerException if it ends or the time is over without, with the end of its output
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

  /** Kills it if it still runs. */
  @Override
  public void close() {
    kill();
  }

  // The id of a process that has ended may already be that of another one.
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
