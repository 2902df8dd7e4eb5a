package io.posthorn.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One Kafka broker that is its own controller, in its own JVM with its own class path. It dies with
 * this JVM, however that ends.
 *
 * <p>In addition to the plain port, there is one that clients reach only through a {@link
 * FaultProxy}: the broker advertises the proxy's address.
 */
public final class EmbeddedKafka implements AutoCloseable {
  private static final Duration READY_WITHIN = Duration.ofSeconds(60);
  private static final Duration FORMATTED_WITHIN = Duration.ofSeconds(30);

  private final Path directory;
  private final Map<String, Integer> ports;
  private final FaultProxy proxy;
  private final Runnable atExit = this::close;
  private int starts;
  private @Nullable Process process;

  EmbeddedKafka(Path directory, Map<String, Integer> ports, FaultProxy proxy) {
    this.directory = directory;
    this.ports = Map.copyOf(ports);
    this.proxy = proxy;
  }

  public static EmbeddedKafkaBuilder builder() {
    return new EmbeddedKafkaBuilder();
  }

  /** The address that clients connect to. */
  public String bootstrapServers() {
    return bootstrapServers(EmbeddedKafkaBuilder.DIRECT);
  }

  /** The address of a listener that was added with the builder. */
  public String bootstrapServers(String listener) {
    Integer port = ports.get(listener);
    if (port == null) {
      throw new IllegalArgumentException("no listener " + listener + ", there are " + ports);
    }
    return "127.0.0.1:" + port;
  }

  /** The address for clients that always go through {@link #proxy}. */
  public String proxiedServers() {
    return "127.0.0.1:" + proxy.port();
  }

  public FaultProxy proxy() {
    return proxy;
  }

  public synchronized long pid() {
    return running().pid();
  }

  void format(Map<String, String> settings) {
    Path properties = properties();
    String lines =
        settings.entrySet().stream()
            .map(entry -> entry.getKey() + "=" + entry.getValue().replace("\\", "\\\\"))
            .collect(Collectors.joining("\n", "", "\n"));
    try {
      Files.writeString(properties, lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Path log = directory.resolve("format.log");
    Process formatting =
        KafkaProgram.run(
            log,
            "kafka.tools.StorageTool",
            "format",
            "--cluster-id",
            "AAAAAAAAQACAAAAAAAAAAA",
            "--config",
            properties.toString());
    Waiting.holdsWithin(FORMATTED_WITHIN, () -> !formatting.isAlive());
    if (formatting.isAlive() || formatting.exitValue() != 0) {
      formatting.destroyForcibly();
      throw new TestServerException("Kafka's directory was not formatted:\n" + read(log));
    }
  }

  /** Starts a killed broker again, on the same ports and with its data. */
  public synchronized void start() {
    if (process != null && process.isAlive()) {
      throw new IllegalStateException("Kafka in " + directory + " is running already");
    }
    AtExit.first(atExit);
    starts++;
    Path log = directory.resolve("kafka-" + starts + ".log");
    Process started = KafkaProgram.run(log, "kafka.Kafka", properties().toString());
    process = started;
    boolean ready =
        Waiting.holdsWithin(
            READY_WITHIN,
            () -> !started.isAlive() || read(log).contains(KafkaProgram.STARTED_LINE));
    if (!ready || !started.isAlive()) {
      kill();
      throw new TestServerException("Kafka did not start. Its log:\n" + read(log));
    }
  }

  public synchronized boolean isRunning() {
    return process != null && process.isAlive();
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

  @Override
  public synchronized void close() {
    AtExit.forget(atExit);
    kill();
    proxy.close();
    Scratch.remove(directory);
  }

  private Path properties() {
    return directory.resolve("server.properties");
  }

  private Process running() {
    if (process == null || !process.isAlive()) {
      throw new IllegalStateException("Kafka is not running: start() it first");
    }
    return process;
  }

  private static String read(Path log) {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      return "(no log: " + e + ")";
    }
  }
}
