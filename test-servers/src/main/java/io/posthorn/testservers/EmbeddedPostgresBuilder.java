package io.posthorn.testservers;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Collects the settings of an {@link EmbeddedPostgres}. Created by {@link
 * EmbeddedPostgres#builder()}.
 */
public final class EmbeddedPostgresBuilder {
  private final PostgresSettings settings = new PostgresSettings();
  private int version = EmbeddedPostgres.defaultVersion();
  private @Nullable Path dataDirectory;
  private Unprivileged user = Unprivileged.here();

  EmbeddedPostgresBuilder() {}

  /** The major version: 15, 16, 17 or 18. See {@link EmbeddedPostgres#defaultVersion()}. */
  public EmbeddedPostgresBuilder version(int major) {
    this.version = major;
    return this;
  }

  /**
   * Sets whether a commit waits for the disk, as in production. The default is false, which is
   * several times faster; it loses nothing when the server is killed, only when the machine dies.
   */
  public EmbeddedPostgresBuilder durable(boolean durable) {
    settings.setDurable(durable);
    return this;
  }

  /** One line of {@code postgresql.conf}, for example {@code wal_level}, {@code logical}. */
  public EmbeddedPostgresBuilder setting(String name, String value) {
    settings.set(name, value);
    return this;
  }

  /** The most connections; default 300. */
  public EmbeddedPostgresBuilder maxConnections(int connections) {
    return setting("max_connections", Integer.toString(connections));
  }

  /** The port; default: a free one. */
  public EmbeddedPostgresBuilder port(int port) {
    settings.setPort(port);
    return this;
  }

  /**
   * Uses this directory, and leaves it there at the end. If it holds data of an earlier server of
   * the same version, that data is used. By default, a new directory is created and later removed.
   */
  public EmbeddedPostgresBuilder dataDirectory(Path directory) {
    this.dataDirectory = directory.toAbsolutePath();
    return this;
  }

  /** Uses this clock's time of day. Close the clock after the server. */
  public EmbeddedPostgresBuilder clock(FakeClock clock) {
    settings.setEnvironment(clock.environment());
    return this;
  }

  EmbeddedPostgresBuilder user(Unprivileged user) {
    this.user = user;
    return this;
  }

  /** Starts the server, and returns when it accepts connections. */
  public EmbeddedPostgres start() {
    PostgresPrograms programs = PostgresPrograms.of(version);
    PostgresDirectory directory = PostgresDirectory.prepare(programs, user, dataDirectory);
    return new EmbeddedPostgres(programs, user, directory, settings).startOrClose();
  }
}
