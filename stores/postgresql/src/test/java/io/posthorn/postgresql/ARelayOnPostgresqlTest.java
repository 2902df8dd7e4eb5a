package io.posthorn.postgresql;

import io.posthorn.testkit.RelayContract;
import io.posthorn.testkit.TestDatabase;

/** This test is long; its name makes it start first, so that the test run does not end with it. */
class ARelayOnPostgresqlTest extends RelayContract {
  @Override
  protected TestDatabase database() {
    return TestServer.newest().database();
  }
}
