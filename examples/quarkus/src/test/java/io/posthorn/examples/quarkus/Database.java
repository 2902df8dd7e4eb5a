package io.posthorn.examples.quarkus;

import io.posthorn.test.EmbeddedDatabase;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import java.sql.SQLException;
import java.util.Map;

/** A database with the application's own table. */
public class Database implements QuarkusTestResourceLifecycleManager {
  @Override
  public Map<String, String> start() {
    EmbeddedDatabase database = EmbeddedDatabase.empty();
    try (var connection = database.dataSource().getConnection();
        var statement = connection.createStatement()) {
      statement.execute("CREATE TABLE app_user (email text PRIMARY KEY)");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    return Map.of("quarkus.datasource.jdbc.url", database.jdbcUrl());
  }

  @Override
  public void stop() {}
}
