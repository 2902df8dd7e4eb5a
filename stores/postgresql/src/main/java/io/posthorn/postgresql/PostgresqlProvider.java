package io.posthorn.postgresql;

import io.posthorn.core.DatabaseStore;
import io.posthorn.core.StoreProvider;
import javax.sql.DataSource;

/** Makes the PostgreSQL store known to {@code Posthorn.on(dataSource)}. */
public final class PostgresqlProvider implements StoreProvider {
  /** Called when the provider is looked up as a service. */
  public PostgresqlProvider() {}

  @Override
  public boolean supports(String product) {
    return product.equals("PostgreSQL");
  }

  @Override
  public DatabaseStore on(DataSource dataSource) {
    return PostgresqlStore.on(dataSource);
  }
}
