package io.posthorn.spring.autoconfigure;

import io.posthorn.postgresql.Migrations;
import javax.sql.DataSource;
import org.springframework.context.SmartLifecycle;

/**
 * Creates and updates the tables before anything else starts, but after Flyway and Liquibase. These
 * run while beans are created, and would refuse a schema that is neither empty nor theirs.
 */
final class MigrationLifecycle implements SmartLifecycle {
  private final DataSource dataSource;
  private final Migrations migrations;
  private volatile boolean running;

  MigrationLifecycle(DataSource dataSource, Migrations migrations) {
    this.dataSource = dataSource;
    this.migrations = migrations;
  }

  @Override
  public void start() {
    migrations.migrate(dataSource);
    running = true;
  }

  @Override
  public void stop() {
    running = false;
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  @Override
  public int getPhase() {
    return Integer.MIN_VALUE;
  }
}
