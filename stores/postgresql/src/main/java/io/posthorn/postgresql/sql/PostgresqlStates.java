package io.posthorn.postgresql.sql;

import io.posthorn.core.connector.SqlStates;

/** PostgreSQL's SQLSTATEs for which no message is blamed. */
public final class PostgresqlStates implements SqlStates {
  private static final String QUERY_CANCELED = "57014";
  private static final String INSUFFICIENT_RESOURCES = "53";
  private static final String OPERATOR_INTERVENTION = "57";

  /** For {@link java.util.ServiceLoader}, which needs a public constructor. */
  public PostgresqlStates() {}

  @Override
  public boolean isTimeout(String state) {
    return state.equals(QUERY_CANCELED);
  }

  @Override
  public boolean isAway(String state) {
    return state.startsWith(INSUFFICIENT_RESOURCES) || state.startsWith(OPERATOR_INTERVENTION);
  }
}
