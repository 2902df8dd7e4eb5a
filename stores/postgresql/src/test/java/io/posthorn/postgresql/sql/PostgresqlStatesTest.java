package io.posthorn.postgresql.sql;

import io.posthorn.core.connector.SqlStates;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.testkit.SqlStatesContract;
import java.util.List;

class PostgresqlStatesTest extends SqlStatesContract {
  @Override
  protected SqlStates states() {
    return new PostgresqlStates();
  }

  @Override
  protected Class<?> store() {
    return PostgresqlStore.class;
  }

  @Override
  protected List<String> timeouts() {
    return List.of("57014");
  }

  @Override
  protected List<String> away() {
    return List.of("57P03", "57P01", "53300", "08006");
  }
}
