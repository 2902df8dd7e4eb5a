package io.posthorn.server.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.server.file.DatabaseSettings;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Opens connections to a database of the file. */
final class Pools {
  /** In addition to the relay's store threads: heartbeat, retention, figures, and our own look. */
  private static final int BESIDES = 4;

  private static final int OF_API = 4;
  private static final long API_WAIT_MILLIS = 3_000;
  private static final int CONNECT_SECONDS = 5;
  private static final long WAIT_MILLIS = 5_000;
  private static final long IDLE_MILLIS = 60_000;

  private Pools() {}

  /** Creates a pool that opens nothing before the first use, and keeps one idle connection. */
  static HikariDataSource pool(String name, DatabaseSettings database, int storeThreads) {
    HikariConfig config = new HikariConfig();
    config.setPoolName("posthorn-" + name);
    config.setDataSource(source(database));
    config.setMaximumPoolSize(storeThreads + BESIDES);
    config.setMinimumIdle(1);
    config.setIdleTimeout(IDLE_MILLIS);
    config.setConnectionTimeout(WAIT_MILLIS);
    config.setInitializationFailTimeout(-1);
    return new HikariDataSource(config);
  }

  /** Creates the pool of the HTTP API, so that no request takes a connection from the relay. */
  static HikariDataSource forApi(String name, DatabaseSettings database) {
    HikariConfig config = new HikariConfig();
    config.setPoolName("posthorn-api-" + name);
    config.setDataSource(source(database));
    config.setMaximumPoolSize(OF_API);
    config.setMinimumIdle(0);
    config.setIdleTimeout(IDLE_MILLIS);
    config.setConnectionTimeout(API_WAIT_MILLIS);
    config.setInitializationFailTimeout(-1);
    return new HikariDataSource(config);
  }

  static DataSource source(DatabaseSettings database) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    // The address may set each of these itself.
    source.setConnectTimeout(CONNECT_SECONDS);
    source.setLoginTimeout(CONNECT_SECONDS);
    source.setTcpKeepAlive(true);
    source.setApplicationName("posthorn server");
    source.setUrl(database.url());
    if (database.user() != null) {
      source.setUser(database.user());
    }
    if (database.password() != null) {
      source.setPassword(database.password());
    }
    return source;
  }
}
