package io.posthorn.postgresql;

import io.posthorn.testkit.RelayContract;
import io.posthorn.testkit.TestDatabase;

/** Long, and by its name the first to be started: what is long should not come last. */
class ARelayOnPostgresqlTest extends RelayContract {
  @Override
  protected TestDatabase database() {
    return TestServer.newest().database();
  }
}
