package io.posthorn.testservers;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * PgBouncer in transaction pooling mode. A server connection belongs to a client only until its
 * transaction ends, so no session state survives a commit: no prepared statement, no {@code SET},
 * no {@code LISTEN}, no session-level advisory lock.
 *
 * <p>Every client is let in as {@code postgres}. It dies with this JVM, however that ends.
 */
public final class PgBouncer implements AutoCloseable {
  private static final Duration READY_WITHIN = Duration.ofSeconds(10);

  private final Path program;
  private final Path directory;
  private final Unprivileged user;
  private final int port;
  private final Runnable atExit = this::close;
  private @Nullable Process process;

  PgBouncer(Path program, Path directory, Unprivileged user, int port) {
    this.program = program;
    this.directory = directory;
    this.user = user;
    this.port = port;
  }

  /** Creates one in front of the PostgreSQL (or proxy) on this port of 127.0.0.1. */
  public static PgBouncerBuilder inFrontOf(int postgresPort) {
    return new PgBouncerBuilder(postgresPort);
  }

  public int port() {
    return port;
  }

  /**
   * Returns a URL without prepared statements that outlive a transaction ({@code
   * prepareThreshold=0}), which PgBouncer before 1.21 does not support.
   */
  public String jdbcUrl(String database) {
    return EmbeddedPostgres.jdbcUrl(port, database) + "&prepareThreshold=0";
  }

  /** A data source that opens a new connection each time. */
  public DataSource dataSource(String database) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(jdbcUrl(database));
    return source;
  }

  public synchronized long pid() {
    return running().pid();
  }

  /** Starts a killed PgBouncer on the same port. Returns when it accepts connections. */
  public synchronized void start() {
    if (process != null && process.isAlive()) {
      throw new IllegalStateException("PgBouncer on port " + port + " is running already");
    }
    AtExit.first(atExit);
    Path log = directory.resolve("pgbouncer.log");
    Process started =
        Child.start(
            new ProcessBuilder(program.toString(), directory.resolve("pgbouncer.ini").toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile())),
            user);
    process = started;
    Waiting.holdsWithin(READY_WITHIN, () -> !started.isAlive() || accepts());
    if (!started.isAlive() || !accepts()) {
      kill();
      throw new TestServerException("PgBouncer did not start. Its log:\n" + read(log));
    }
  }

  /** Sends SIGKILL, which ends all connections through it; returns when the process is gone. */
  public synchronized void kill() {
    if (process != null) {
      Processes.kill(process);
      process = null;
    }
  }

  /** Sends SIGSTOP: connections stay open and nothing passes. */
  public synchronized void freeze() {
    Processes.freeze(running().pid());
  }

  /** Resumes a frozen PgBouncer. */
  public synchronized void thaw() {
    Processes.thaw(running().pid());
  }

  @Override
  public synchronized void close() {
    AtExit.forget(atExit);
    kill();
    Scratch.remove(directory);
  }

  private Process running() {
    if (process == null || !process.isAlive()) {
      throw new IllegalStateException("PgBouncer is not running: start() it first");
    }
    return process;
  }

  private boolean accepts() {
    try (Socket socket = new Socket()) {
      socket.connect(Ports.loopback(port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static String read(Path log) {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      return "(no log: " + e + ")";
    }
  }
}
