package io.posthorn.benchmarks;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.Tables;
import io.posthorn.testservers.EmbeddedPostgres;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The PostgreSQL that is measured. Commits wait for the disk. Checkpoints and vacuum run only when
 * the benchmark starts them, because one that falls into one side of a comparison would distort it.
 */
final class Server implements AutoCloseable {
  private final EmbeddedPostgres postgres;

  Server() {
    this("off");
  }

  private Server(String autovacuum) {
    this.postgres =
        EmbeddedPostgres.builder()
            .durable(true)
            .setting("shared_buffers", "512MB")
            .setting("autovacuum", autovacuum)
            .setting("checkpoint_timeout", "1h")
            .setting("max_wal_size", "32GB")
            .start();
  }

  /** Starts a server with autovacuum, for benchmarks that take minutes. */
  static Server vacuuming() {
    return new Server("on");
  }

  /** Creates a fresh database with Posthorn's tables. */
  Database database() {
    Database database = Database.at(postgres.jdbcUrl(postgres.freshDatabase()));
    new Migrations(Tables.DEFAULT).migrate(database.dataSource());
    return database;
  }

  /** Returns the facts about machine and settings that figures depend on. */
  Map<String, String> machine(Database database) {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
    facts.put("java", Runtime.version().feature() + "");
    facts.put("postgresql", database.text("SHOW server_version"));
    facts.put("fsync", database.text("SHOW fsync"));
    facts.put("synchronous_commit", database.text("SHOW synchronous_commit"));
    facts.put("full_page_writes", database.text("SHOW full_page_writes"));
    facts.put("data_checksums", database.text("SHOW data_checksums"));
    facts.put("shared_buffers", database.text("SHOW shared_buffers"));
    facts.put("autovacuum", database.text("SHOW autovacuum"));
    return facts;
  }

  /** Creates a pool whose connections are open from the start. */
  static HikariDataSource pool(Database database, int connections) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.url());
    config.setMaximumPoolSize(connections);
    config.setMinimumIdle(connections);
    return new HikariDataSource(config);
  }

  @Override
  public void close() {
    postgres.close();
  }
}
