package io.posthorn.postgresql;

import io.posthorn.testkit.StoreContract;
import io.posthorn.testkit.TestDatabase;

/**
 * The contract with the usual setup. Each older version also passes the whole contract, each with
 * one more difference that must not matter, so four runs prove what seven would.
 */
class Postgresql18Test extends StoreContract {
  @Override
  protected TestDatabase database() {
    return TestServer.ofVersion(18).database();
  }
}
