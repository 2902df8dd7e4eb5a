package io.posthorn.postgresql;

import io.posthorn.testkit.StoreContract;
import io.posthorn.testkit.TestDatabase;

/** The contract with the tables in another schema, under another prefix. */
class OtherTablesTest extends StoreContract {
  @Override
  protected TestDatabase database() {
    return TestServer.newest().database(new Tables("messaging", "ob_"));
  }
}
