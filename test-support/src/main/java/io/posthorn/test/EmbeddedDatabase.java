package io.posthorn.test;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.testservers.EmbeddedPostgres;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * An empty database in a real PostgreSQL server, which starts once for all tests of a JVM and ends
 * with it. Each call creates another database.
 *
 * @param jdbcUrl includes the user; no password is needed
 * @param dataSource a pool that closes unused connections after a few seconds
 */
public record EmbeddedDatabase(String jdbcUrl, DataSource dataSource) {
  public static EmbeddedDatabase empty() {
    EmbeddedPostgres server = EmbeddedPostgres.shared();
    String url = server.jdbcUrl(server.freshDatabase());
    HikariConfig pool = new HikariConfig();
    pool.setJdbcUrl(url);
    pool.setMinimumIdle(0);
    pool.setMaximumPoolSize(20);
    pool.setIdleTimeout(Duration.ofSeconds(10).toMillis());
    return new EmbeddedDatabase(url, new HikariDataSource(pool));
  }
}
