package io.posthorn.testservers;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * RabbitMQ on 127.0.0.1, with the user {@code guest} and the password {@code guest}. Its data
 * survives {@link #kill} and {@link #start}. It dies with this JVM, however that ends.
 *
 * <p>Erlang's name server, epmd, would stay behind as a daemon. Each broker therefore has its own,
 * which is started before it as a child of this JVM, and ends with it.
 */
public final class EmbeddedRabbitMq implements AutoCloseable {
  private static final Duration READY_WITHIN = Duration.ofSeconds(60);
  private static final Duration CONTROL_WITHIN = Duration.ofSeconds(30);
  private static final byte[] HELLO = {'A', 'M', 'Q', 'P', 0, 0, 9, 1};

  private final Path server;
  private final Path epmd;
  private final Path directory;
  private final int port;
  private final int epmdPort = Ports.free();
  private final int distributionPort = Ports.free();
  private final Runnable atExit = this::close;
  private @Nullable Process process;
  private @Nullable Process names;

  EmbeddedRabbitMq(Path server, Path epmd, Path directory, int port) {
    this.server = server;
    this.epmd = epmd;
    this.directory = directory;
    this.port = port;
  }

  public static EmbeddedRabbitMqBuilder builder() {
    return new EmbeddedRabbitMqBuilder();
  }

  /** The port for AMQP 0-9-1. */
  public int port() {
    return port;
  }

  /** Returns whether the process exists; a frozen broker is running too. */
  public synchronized boolean isRunning() {
    return process != null && process.isAlive();
  }

  /** Starts a killed broker on the same port. Returns when it accepts connections. */
  public synchronized void start() {
    if (isRunning()) {
      throw new IllegalStateException("RabbitMQ on port " + port + " is running already");
    }
    AtExit.first(atExit);
    Path log = directory.resolve("rabbitmq.log");
    if (names == null || !names.isAlive()) {
      names = Child.start(logged(log, List.of(epmd.toString())));
    }
    Process started = Child.start(logged(log, List.of(server.toString())));
    process = started;
    Waiting.holdsWithin(READY_WITHIN, () -> !started.isAlive() || answers());
    if (!started.isAlive() || !answers()) {
      kill();
      throw new TestServerException("RabbitMQ did not start. Its log:\n" + read(log));
    }
  }

  private ProcessBuilder logged(Path log, List<String> command) {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile()) // for crash dumps
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    environment(builder);
    return builder;
  }

  private void environment(ProcessBuilder builder) {
    var environment = builder.environment();
    environment.keySet().removeIf(name -> name.startsWith("RABBITMQ_"));
    environment.put("HOME", directory.toString()); // for the Erlang cookie
    environment.put("ERL_EPMD_PORT", Integer.toString(epmdPort));
    environment.put("ERL_EPMD_ADDRESS", "127.0.0.1");
    environment.put("RABBITMQ_NODENAME", "posthorn" + port + "@localhost");
    environment.put("RABBITMQ_DIST_PORT", Integer.toString(distributionPort));
    environment.put("RABBITMQ_CONFIG_FILE", directory.resolve("rabbitmq.conf").toString());
    environment.put("RABBITMQ_CONF_ENV_FILE", directory.resolve("none.conf").toString());
    environment.put(
        "RABBITMQ_ENABLED_PLUGINS_FILE", directory.resolve("enabled_plugins").toString());
    environment.put("RABBITMQ_MNESIA_BASE", directory.resolve("data").toString());
    environment.put("RABBITMQ_LOG_BASE", directory.resolve("log").toString());
    environment.put("RABBITMQ_PID_FILE", directory.resolve("rabbitmq.pid").toString());
    environment.put("RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", "+S 2:2 +sbwt none -noinput");
    // With this, the script becomes the broker instead of supervising it.
    environment.put("RABBITMQ_ALLOW_INPUT", "true");
  }

  /** Sends SIGKILL; returns when the process is gone. */
  public synchronized void kill() {
    if (process != null) {
      Processes.kill(process);
      process = null;
    }
  }

  /** Sends SIGSTOP: connections stay open and nothing is answered. */
  public synchronized void freeze() {
    Processes.freeze(running().pid());
  }

  /** Resumes a frozen broker. */
  public synchronized void thaw() {
    Processes.thaw(running().pid());
  }

  /** Runs {@code rabbitmqctl}; returns when it is done. Example: {@code add_user a b}. */
  public synchronized void control(String... arguments) {
    running();
    List<String> command = new ArrayList<>();
    command.add(server.resolveSibling("rabbitmqctl").toString());
    command.addAll(List.of(arguments));
    Path log = directory.resolve("rabbitmqctl.log");
    Process control = Child.start(logged(log, command));
    try {
      if (!control.waitFor(CONTROL_WITHIN.toMillis(), TimeUnit.MILLISECONDS)
          || control.exitValue() != 0) {
        control.destroyForcibly();
        throw new TestServerException(
            "rabbitmqctl " + List.of(arguments) + " failed. Its output:\n" + read(log));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestServerException("interrupted while rabbitmqctl was running", e);
    }
  }

  /** Raises the memory alarm: from now on the broker accepts no messages. */
  public void raiseMemoryAlarm() {
    control("set_vm_memory_high_watermark", "0.00001");
  }

  public void clearMemoryAlarm() {
    control("set_vm_memory_high_watermark", "absolute", "2GB");
  }

  @Override
  public synchronized void close() {
    AtExit.forget(atExit);
    kill();
    if (names != null) {
      Processes.kill(names);
      names = null;
    }
    Scratch.remove(directory);
  }

  private Process running() {
    if (process == null || !process.isAlive()) {
      throw new IllegalStateException("RabbitMQ is not running: start() it first");
    }
    return process;
  }

  /**
   * Returns whether the broker responds to an AMQP 0-9-1 greeting; the port alone opens earlier.
   */
  private boolean answers() {
    try (Socket socket = new Socket()) {
      socket.connect(Ports.loopback(port), 1_000);
      socket.setSoTimeout(1_000);
      socket.getOutputStream().write(HELLO);
      return socket.getInputStream().read() == 1;
    } catch (IOException e) {
      return false;
    }
  }

  private static String read(Path log) {
    try {
      return Files.readString(log, StandardCharsets.UTF_8);
    } catch (IOException e) {
      return "(no log: " + e + ")";
    }
  }
}
