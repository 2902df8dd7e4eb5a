package io.posthorn.postgresql;

import io.posthorn.testkit.RelayContract;
import io.posthorn.testkit.TestDatabase;

class RelayOnPostgresqlTest extends RelayContract {
  @Override
  protected TestDatabase database() {
    return TestServer.newest().database();
  }
}
