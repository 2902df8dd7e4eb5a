package io.posthorn.kafka;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.Tables;
import io.posthorn.testservers.EmbeddedPostgres;

/** The database that a test's application writes to: a new one with the store's tables. */
final class Database {
  private Database() {}

  static HikariDataSource fresh() {
    EmbeddedPostgres postgres = EmbeddedPostgres.shared();
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(postgres.jdbcUrl(postgres.freshDatabase()));
    HikariDataSource dataSource = new HikariDataSource(config);
    new Migrations(Tables.DEFAULT).migrate(dataSource);
    return dataSource;
  }
}
