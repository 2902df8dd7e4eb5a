package io.posthorn.core;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import javax.sql.DataSource;

/** The store on the class path that works with a database. */
final class FoundStore {
  private FoundStore() {}

  static DatabaseStore of(DataSource dataSource) {
    String product = productOf(dataSource);
    List<String> found = new ArrayList<>();
    for (StoreProvider provider :
        ServiceLoader.load(StoreProvider.class, Posthorn.class.getClassLoader())) {
      if (provider.supports(product)) {
        return provider.on(dataSource);
      }
      found.add(provider.getClass().getName());
    }
    throw new PosthornException(
        ErrorCode.CONFIGURATION,
        "Posthorn was not started: the database is %s, and no store for it is on the class path (found: %s). Add its store, for example posthorn-store-postgresql."
            .formatted(product, found.isEmpty() ? "none" : String.join(", ", found)));
  }

  private static String productOf(DataSource dataSource) {
    try (Connection connection = dataSource.getConnection()) {
      return connection.getMetaData().getDatabaseProductName();
    } catch (SQLException e) {
      throw new PosthornException(
          ErrorCode.STORE_FAILED,
          "Posthorn was not started: the DataSource gave no connection. See the cause.",
          e);
    }
  }
}
