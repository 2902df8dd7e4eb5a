package io.posthorn.postgresql;

import io.posthorn.testkit.RelayContract;
import io.posthorn.testkit.TestDatabase;

/** What a relay promises, it keeps with four lanes in each destination, too. */
class ARelayWithFourLanesTest extends RelayContract {
  @Override
  protected TestDatabase database() {
    return TestServer.newest().databaseWithFourLanes();
  }
}
