package io.posthorn.testservers;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A real PostgreSQL server for tests, demonstrations and benchmarks.
 *
 * <p>It listens on 127.0.0.1 only and trusts user {@code postgres}. Its postmaster is a direct
 * child of this JVM, so it dies with this JVM, however that ends, and can be restarted at once
 * after {@link #kill}. A server can be stopped and started any number of times: it keeps its port
 * and its data until {@link #close}, which removes the data.
 *
 * <p>The server's time zone is UTC, but pgjdbc sets that of a session to the JVM's.
 */
public final class EmbeddedPostgres implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static @Nullable EmbeddedPostgres sharedServer;

  private final PostgresPrograms programs;
  private final Unprivileged user;
  private final PostgresDirectory directory;
  private final PostgresSettings settings;
  private final Runnable atExit = this::shutDown;
  private final AtomicInteger databases = new AtomicInteger();
  private @Nullable PostgresProcess process;

  EmbeddedPostgres(
      PostgresPrograms programs,
      Unprivileged user,
      PostgresDirectory directory,
      PostgresSettings settings) {
    this.programs = programs;
    this.user = user;
    this.directory = directory;
    this.settings = settings;
  }

  public static EmbeddedPostgresBuilder builder() {
    return new EmbeddedPostgresBuilder();
  }

  /**
   * Returns the one server that all tests of this JVM share; each test uses a {@link
   * #freshDatabase} in it. The shared server cannot be stopped, killed, frozen or closed: a test
   * that needs that starts its own.
   */
  public static synchronized EmbeddedPostgres shared() {
    if (sharedServer == null) {
      sharedServer = builder().start();
    }
    return sharedServer;
  }

  /**
   * The major version used by default: 18, unless the system property {@code
   * posthorn.postgres.version} or the variable {@code POSTHORN_POSTGRES_VERSION} is set.
   */
  public static int defaultVersion() {
    return UserSetting.value("posthorn.postgres.version").map(Integer::parseInt).orElse(18);
  }

  /**
   * Returns the JDBC URL of a database behind any port of this machine, such as a {@link
   * FaultProxy}'s. More parameters can be appended with {@code &}.
   */
  public static String jdbcUrl(int port, String database) {
    return "jdbc:postgresql://127.0.0.1:%d/%s?user=postgres&sslmode=disable"
        .formatted(port, database);
  }

  public String jdbcUrl() {
    return jdbcUrl("postgres");
  }

  public String jdbcUrl(String database) {
    return jdbcUrl(port(), database);
  }

  public DataSource dataSource() {
    return dataSource("postgres");
  }

  /** A data source that opens a new connection each time. */
  public DataSource dataSource(String database) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(jdbcUrl(database));
    return source;
  }

  public int version() {
    return programs.major();
  }

  public synchronized int port() {
    return settings.port();
  }

  public Path dataDirectory() {
    return directory.path();
  }

  /** The process id of the postmaster. */
  public long pid() {
    return running().pid();
  }

  public synchronized boolean isRunning() {
    return process != null && process.isRunning();
  }

  public void createDatabase(String name) {
    admin().execute("CREATE DATABASE \"" + name.replace("\"", "\"\"") + "\"");
  }

  /** Creates a database that no other test uses, and returns its name. */
  public String freshDatabase() {
    String name = "test_" + databases.incrementAndGet();
    createDatabase(name);
    return name;
  }

  /**
   * Starts a stopped or killed server on the same port and data. Returns when it accepts
   * connections, which is after the recovery from a crash. Fails after 30 s with the end of its
   * log.
   */
  public synchronized void start() {
    if (isRunning()) {
      throw new IllegalStateException("PostgreSQL on port " + port() + " is running already");
    }
    AtExit.first(atExit);
    process = new PostgresLaunch(programs, user, directory, settings).launch();
  }

  EmbeddedPostgres startOrClose() {
    try {
      start();
      return this;
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Ends all connections and stops in order (a "fast" shutdown). Does nothing if stopped. */
  public synchronized void stop() {
    refuseIfShared();
    if (process != null) {
      process.end("INT");
      process = null;
    }
  }

  /**
   * Sends SIGKILL to the postmaster and all its processes, like a power failure except for the
   * operating system's caches. Returns when all processes are gone: nothing is written any more,
   * and the server can be started again.
   */
  public synchronized void kill() {
    refuseIfShared();
    running().kill();
    process = null;
  }

  /** Stops the server if it runs, and starts it on the same port and data. */
  public synchronized void restart() {
    stop();
    start();
  }

  /**
   * Sends SIGSTOP to the postmaster and all its processes: connections stay open and nothing is
   * answered. The operating system still accepts connections, which then hang.
   */
  public synchronized void freeze() {
    refuseIfShared();
    running().freeze();
  }

  /** Resumes a frozen server. */
  public synchronized void thaw() {
    running().thaw();
  }

  /**
   * Returns another server, not started, on a copy of this server's data. This server must be
   * stopped or killed. The copy has the same settings but its own port, and must be closed too.
   */
  public synchronized EmbeddedPostgres coldCopy() {
    if (isRunning()) {
      throw new IllegalStateException("stop() or kill() PostgreSQL before its data are copied");
    }
    return new EmbeddedPostgres(programs, user, directory.copy(user), settings.copy());
  }

  /**
   * Starts a standby that follows this server by streaming replication, answers queries, and has
   * the application name {@code standby}. It is made from a cold copy, for which this server is
   * stopped and restarted; that ends its connections.
   *
   * <p>To lose commits in a failover: stop the standby, commit, kill this server, start the standby
   * and promote it.
   */
  public synchronized EmbeddedPostgres standby() {
    stop();
    // Keeps the WAL that a standby needs after it was away for a while.
    settings.set("wal_keep_size", "512MB");
    EmbeddedPostgres standby = coldCopy();
    standby.directory.markAsStandby(user);
    standby.settings.set(
        "primary_conninfo",
        "host=127.0.0.1 port=%d user=postgres application_name=standby sslmode=disable"
            .formatted(port()));
    start();
    return standby.startOrClose();
  }

  /** Returns when this standby has replayed everything the primary has written until now. */
  public void awaitReplayOf(EmbeddedPostgres primary) {
    String written = primary.admin().value("SELECT pg_current_wal_lsn()");
    String replayed = "SELECT pg_last_wal_replay_lsn() >= '" + written + "'";
    Waiting.until(
        "the standby to replay " + written, PATIENCE, () -> admin().value(replayed).equals("t"));
  }

  /** Makes this standby a primary; returns when it accepts writes. */
  public void promote() {
    String promoted = admin().value("SELECT pg_promote(true, %d)".formatted(PATIENCE.toSeconds()));
    if (!promoted.equals("t")) {
      throw new TestServerException(
          "the standby was not promoted. The end of its log:\n" + directory.logTail());
    }
  }

  /** Ends the server and removes its data, unless the caller chose the directory. */
  @Override
  public void close() {
    refuseIfShared();
    shutDown();
  }

  private synchronized void shutDown() {
    AtExit.forget(atExit);
    if (process != null) {
      process.end(directory.temporary() ? "QUIT" : "INT");
      process = null;
    }
    directory.removeIfTemporary();
  }

  private synchronized PostgresProcess running() {
    if (process == null) {
      throw new IllegalStateException("PostgreSQL is not running: start() it first");
    }
    return process;
  }

  private PostgresAdmin admin() {
    return new PostgresAdmin(jdbcUrl());
  }

  private void refuseIfShared() {
    synchronized (EmbeddedPostgres.class) {
      if (this == sharedServer) {
        throw new IllegalStateException(
            "the shared PostgreSQL serves all tests of this JVM: start your own with EmbeddedPostgres.builder()");
      }
    }
  }
}
