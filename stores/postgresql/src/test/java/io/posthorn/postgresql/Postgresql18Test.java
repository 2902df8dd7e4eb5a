package io.posthorn.postgresql;

import io.posthorn.testkit.StoreContract;
import io.posthorn.testkit.TestDatabase;

/**
 * The contract as most have it. Each older version keeps the whole of it, too, and each with
 * something else that must make no difference, so that four runs prove what seven would.
 */
class Postgresql18Test extends StoreContract {
  @Override
  protected TestDatabase database() {
    return TestServer.ofVersion(18).database();
  }
}
