package io.posthorn.demo;

import io.posthorn.cli.CommandFailed;
import io.posthorn.testservers.JavaProcess;
import io.posthorn.testservers.TestServerException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** One of the two relays: a process that is replaced by a new one after it was killed. */
final class RelayProcess implements AutoCloseable {
  /** The address of the database, the file for sightings and the directory for logs. */
  record Place(String url, Path sightings, Path logs) {}

  enum State {
    STARTING,
    SERVING,
    KILLED,
    STOPPED
  }

  /** A change that {@link #tend} found. */
  enum Change {
    NONE,
    SERVES,
    KILLED
  }

  /** Exit codes from here on mean that a signal ended the process. */
  private static final int SIGNALLED = 128;

  private static final Duration RESTART_AFTER = Duration.ofSeconds(1);
  private static final Duration LEAVE_WITHIN = Duration.ofSeconds(3);
  private static final int TAIL = 20;

  private final String name;
  private final Place place;
  private @Nullable JavaProcess process;
  private AtomicBoolean ready = new AtomicBoolean();
  private State state = State.STOPPED;
  private long killedAt;

  RelayProcess(String name, Place place) {
    this.name = name;
    this.place = place;
  }

  void start() {
    AtomicBoolean announced = new AtomicBoolean();
    ready = announced;
    state = State.STARTING;
    // These options make it start fast, because the demo waits for the replacement.
    process =
        JavaProcess.of(DemoCommand.class)
            .jvmOption("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
            .systemProperty(Stage.LOG_FILE, log().toString())
            .args("demo-relay", "--verbose", "--url", place.url())
            .args("--sightings", place.sightings().toString())
            .onLine(line -> announced.compareAndSet(false, line.equals(DemoRelayCommand.READY)))
            .start();
  }

  /** Checks the process, and starts a new one some time after a kill. */
  Change tend() {
    if (state == State.KILLED) {
      if (System.nanoTime() - killedAt > RESTART_AFTER.toNanos()) {
        start();
      }
    } else if (state != State.STOPPED && !isRunning()) {
      return ended();
    } else if (state == State.STARTING && ready.get()) {
      state = State.SERVING;
      return Change.SERVES;
    }
    return Change.NONE;
  }

  /** Handles the end of the process. The screen shows its id, so a person may have killed it. */
  private Change ended() {
    if (process == null || process.awaitExit(LEAVE_WITHIN) < SIGNALLED) {
      throw new CommandFailed(
          "%s (process %d) ended by itself. The end of its log:".formatted(name, pid()),
          tail(),
          null);
    }
    state = State.KILLED;
    killedAt = System.nanoTime();
    return Change.KILLED;
  }

  /** Kills the process with SIGKILL. */
  void kill() {
    if (process != null) {
      process.kill();
      state = State.KILLED;
      killedAt = System.nanoTime();
    }
  }

  /** Asks the relay to stop in an orderly way; {@link #close} waits for it. */
  void stop() {
    if (process != null && isRunning()) {
      state = State.STOPPED;
      process.writeLine(DemoRelayCommand.STOP);
    }
  }

  @Override
  public void close() {
    if (process == null) {
      return;
    }
    try {
      if (state == State.STOPPED) {
        process.awaitExit(LEAVE_WITHIN);
      }
    } catch (TestServerException e) {
      // It cannot stop in an orderly way, for example because the database is gone. It is killed
      // below.
    } finally {
      process.close();
    }
  }

  private boolean isRunning() {
    return process != null && process.isRunning();
  }

  String name() {
    return name;
  }

  State state() {
    return state;
  }

  long pid() {
    return process == null ? 0 : process.pid();
  }

  private Path log() {
    return place.logs().resolve(name + ".log");
  }

  private String tail() {
    List<String> lines = new ArrayList<>();
    try {
      lines.addAll(Files.readAllLines(log()));
    } catch (IOException e) {
      lines.add("(no log: " + e + ")");
    }
    if (process != null) {
      lines.addAll(process.errors());
    }
    return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL), lines.size()));
  }
}
