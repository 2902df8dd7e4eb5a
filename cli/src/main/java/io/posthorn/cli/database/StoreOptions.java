package io.posthorn.cli.database;

import io.posthorn.core.store.Store;
import io.posthorn.postgresql.PostgresqlStore;
import picocli.CommandLine.Mixin;

/** The store a command works on. */
public final class StoreOptions {
  @Mixin private final ConnectionOptions connection = new ConnectionOptions();
  @Mixin private final TablesOptions where = new TablesOptions();

  public Store store() {
    return PostgresqlStore.on(connection.dataSource(), where.tables());
  }
}
