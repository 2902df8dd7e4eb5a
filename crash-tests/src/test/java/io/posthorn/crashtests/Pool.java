package io.posthorn.crashtests;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * Kept connections for producers and for looking. With a new one for each transaction, starting
 * processes for them was most of what the server did in these tests.
 */
final class Pool {
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  static {
    // Servers die here all the time: each connection is tried before it is used.
    System.setProperty("com.zaxxer.hikari.aliveBypassWindowMs", "0");
  }

  private Pool() {}

  static HikariDataSource of(DataSource dataSource) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(dataSource);
    config.setMinimumIdle(0);
    config.setConnectionTimeout(PATIENCE.toMillis());
    config.setValidationTimeout(PATIENCE.toMillis() / 2);
    config.setInitializationFailTimeout(-1);
    return new HikariDataSource(config);
  }
}
