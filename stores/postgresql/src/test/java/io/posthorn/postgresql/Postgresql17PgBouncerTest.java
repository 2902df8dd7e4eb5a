package io.posthorn.postgresql;

import io.posthorn.testkit.StoreContract;
import io.posthorn.testkit.TestDatabase;

/** The contract through PgBouncer in transaction mode: no session outlives a transaction. */
class Postgresql17PgBouncerTest extends StoreContract {
  @Override
  protected TestDatabase database() {
    return TestServer.ofVersion(17).databaseBehindBouncer();
  }
}
