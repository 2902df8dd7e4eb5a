package io.posthorn.postgresql;

import io.posthorn.testkit.StoreContract;
import io.posthorn.testkit.TestDatabase;

/** The contract on a pool whose connections are SERIALIZABLE and not in auto-commit mode. */
class OddPoolTest extends StoreContract {
  @Override
  protected TestDatabase database() {
    return TestServer.newest().databaseWithOddPool();
  }
}
