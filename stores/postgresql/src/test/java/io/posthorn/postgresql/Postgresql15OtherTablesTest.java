package io.posthorn.postgresql;

import io.posthorn.testkit.StoreContract;
import io.posthorn.testkit.TestDatabase;
import org.junit.jupiter.api.Tag;

/** The contract with the tables in another schema and with another prefix. */
@Tag("slow")
class Postgresql15OtherTablesTest extends StoreContract {
  @Override
  protected TestDatabase database() {
    return TestServer.ofVersion(15).database(new Tables("messaging", "ob_"));
  }
}
