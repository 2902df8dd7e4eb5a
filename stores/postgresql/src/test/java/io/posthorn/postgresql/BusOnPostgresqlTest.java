package io.posthorn.postgresql;

import io.posthorn.testkit.BusContract;
import io.posthorn.testkit.TestDatabase;

class BusOnPostgresqlTest extends BusContract {
  @Override
  protected TestDatabase database() {
    return TestServer.newest().database();
  }
}
