package io.posthorn.postgresql;

import io.posthorn.testkit.StoreContract;
import io.posthorn.testkit.TestDatabase;
import org.junit.jupiter.api.Tag;

@Tag("slow")
class Postgresql15Test extends StoreContract {
  @Override
  protected TestDatabase database() {
    return TestServer.ofVersion(15).database();
  }
}
