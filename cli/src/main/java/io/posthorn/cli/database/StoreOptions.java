package io.posthorn.cli.database;

import io.posthorn.core.operate.OperatorStore;
import io.posthorn.postgresql.PostgresqlStore;
import picocli.CommandLine.Mixin;

/** The store a command works on. */
public final class StoreOptions {
  @Mixin private final ConnectionOptions connection = new ConnectionOptions();
  @Mixin private final TablesOptions where = new TablesOptions();

  /** Whether a database was named at all. */
  public boolean isGiven() {
    return connection.isGiven();
  }

  public OperatorStore store() {
    return PostgresqlStore.on(connection.dataSource(), where.tables());
  }
}
