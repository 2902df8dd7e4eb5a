package io.posthorn.postgresql;

import io.posthorn.testkit.StoreContract;
import io.posthorn.testkit.TestDatabase;
import org.junit.jupiter.api.Tag;

/** The contract on a pool of SERIALIZABLE connections that are not in auto-commit mode. */
@Tag("slow")
class Postgresql16OddPoolTest extends StoreContract {
  @Override
  protected TestDatabase database() {
    return TestServer.ofVersion(16).databaseWithOddPool();
  }
}
