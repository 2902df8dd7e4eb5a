package io.posthorn.cli.database;

import io.posthorn.core.operate.OperatorStore;
import io.posthorn.postgresql.PostgresqlStore;
import picocli.CommandLine.Mixin;

/** Options for the store that a command works on. */
public final class StoreOptions {
  @Mixin private final ConnectionOptions connection = new ConnectionOptions();
  @Mixin private final TablesOptions where = new TablesOptions();

  /** Returns whether a database was named. */
  public boolean isGiven() {
    return connection.isGiven();
  }

  public OperatorStore store() {
    return PostgresqlStore.on(connection.dataSource(), where.tables(connection.profile()));
  }
}
