package io.posthorn.testkit;

import org.junit.jupiter.api.Nested;

/**
 * All that every connector promises, tested against the real server. Extend it and give the {@link
 * ConnectorFixture}; what a kind of server cannot do is left out, and the matrix says so.
 */
public abstract class ConnectorContract {
  /** A new fixture for one test, which closes it at its end. */
  protected abstract ConnectorFixture fixture();

  @Nested
  class Sending extends SendingContract {
    @Override
    protected ConnectorFixture fixture() {
      return ConnectorContract.this.fixture();
    }
  }

  @Nested
  class Outage extends OutageContract {
    @Override
    protected ConnectorFixture fixture() {
      return ConnectorContract.this.fixture();
    }
  }

  @Nested
  class UnderLoad extends UnderLoadContract {
    @Override
    protected ConnectorFixture fixture() {
      return ConnectorContract.this.fixture();
    }
  }
}
