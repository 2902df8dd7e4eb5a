package io.posthorn.examples.campuscafe.stage;

import io.posthorn.cli.CommandFailed;
import io.posthorn.testservers.JavaProcess;
import io.posthorn.testservers.Ports;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One service, which is started again after it was killed. */
final class ServiceProcess implements AutoCloseable {
  enum State {
    STARTING,
    UP,
    FROZEN,
    DOWN
  }

  private static final long START_AGAIN_NANOS = Duration.ofSeconds(1).toNanos();
  private static final Duration START_WITHIN = Duration.ofMinutes(2);

  private final String name;
  private final int port = Ports.free();
  private final Function<ServiceProcess, List<String>> arguments;
  private @Nullable JavaProcess process;
  private CountDownLatch started = new CountDownLatch(1);
  private State state = State.DOWN;
  private boolean held;
  private long downSince;

  ServiceProcess(String name, Function<ServiceProcess, List<String>> arguments) {
    this.name = name;
    this.arguments = arguments;
  }

  synchronized void start() {
    CountDownLatch announced = new CountDownLatch(1);
    started = announced;
    held = false;
    state = State.STARTING;
    // These options make it start fast and small.
    process =
        JavaProcess.of(ServiceMain.class)
            .jvmOption("-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
            .args(name)
            .args(arguments.apply(this).toArray(String[]::new))
            .onLine(
                line -> {
                  if (line.contains(" Started ")) {
                    announced.countDown();
                  }
                })
            .start();
  }

  /** Waits until it serves. */
  void awaitStart() {
    try {
      long deadline = System.nanoTime() + START_WITHIN.toNanos();
      while (!started.await(200, TimeUnit.MILLISECONDS)) {
        if (!isRunning() || System.nanoTime() > deadline) {
          throw new CommandFailed(
              "the %s service did not start. The end of its log:".formatted(name), tail(), null);
        }
      }
      tend();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the services started", e);
    }
  }

  /** Notices that it serves, or that it is gone, and starts it again some time after a kill. */
  synchronized void tend() {
    if (state == State.STARTING && started.getCount() == 0) {
      state = State.UP;
    }
    if (state != State.DOWN && !isRunning()) {
      down();
    }
    if (state == State.DOWN && !held && System.nanoTime() - downSince > START_AGAIN_NANOS) {
      start();
    }
  }

  private void down() {
    state = State.DOWN;
    downSince = System.nanoTime();
  }

  /** Sends SIGKILL. It is started again after a second, unless it is held down. */
  synchronized void kill(boolean hold) {
    Objects.requireNonNull(process).kill();
    held = hold;
    down();
  }

  synchronized void freeze() {
    if (state == State.UP) {
      Objects.requireNonNull(process).freeze();
      state = State.FROZEN;
    }
  }

  synchronized void thaw() {
    if (state == State.FROZEN) {
      Objects.requireNonNull(process).thaw();
      state = State.UP;
    }
  }

  /** Asks it to stop in order. */
  synchronized void terminate() {
    held = true;
    if (isRunning()) {
      thaw();
      Objects.requireNonNull(process).terminate();
    }
  }

  @Override
  public synchronized void close() {
    held = true;
    if (process != null) {
      process.close();
    }
  }

  private boolean isRunning() {
    return process != null && process.isRunning();
  }

  String name() {
    return name;
  }

  int port() {
    return port;
  }

  String url(String path) {
    return "http://127.0.0.1:%d%s".formatted(port, path);
  }

  synchronized State state() {
    return state;
  }

  synchronized long pid() {
    return process == null ? 0 : process.pid();
  }

  synchronized String tail() {
    if (process == null) {
      return "";
    }
    List<String> lines = new ArrayList<>(process.output());
    lines.addAll(process.errors());
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 200), lines.size()));
  }
}
