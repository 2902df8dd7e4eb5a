package io.posthorn.test;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.testservers.EmbeddedPostgres;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * An empty database in a real PostgreSQL, which is started once for all tests of a JVM and ends
 * with it. Each call makes another database.
 *
 * @param jdbcUrl with the user; no password is needed
 * @param dataSource a pool, which keeps connections that nobody uses for a few seconds only
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
