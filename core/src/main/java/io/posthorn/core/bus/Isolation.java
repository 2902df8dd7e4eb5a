package io.posthorn.core.bus;

import java.sql.Connection;

/** The isolation level of a handler's transaction, as JDBC defines it. */
public enum Isolation {
  READ_COMMITTED(Connection.TRANSACTION_READ_COMMITTED),
  REPEATABLE_READ(Connection.TRANSACTION_REPEATABLE_READ),
  SERIALIZABLE(Connection.TRANSACTION_SERIALIZABLE);

  private final int level;

  Isolation(int level) {
    this.level = level;
  }

  int level() {
    return level;
  }
}
