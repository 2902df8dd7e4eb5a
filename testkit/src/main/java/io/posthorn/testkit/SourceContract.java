package io.posthorn.testkit;

import org.junit.jupiter.api.Nested;

/**
 * What every source promises. A source's test extends this and says how to make its fixture; what
 * its kind of server cannot do is left out, and the matrix says so.
 */
public abstract class SourceContract {
  /** A new fixture for one test, which closes it at its end. */
  protected abstract SourceFixture fixture();

  @Nested
  class Receiving extends FeedContract {
    @Override
    protected SourceFixture fixture() {
      return SourceContract.this.fixture();
    }
  }

  @Nested
  class Ownership extends OwnershipContract {
    @Override
    protected SourceFixture fixture() {
      return SourceContract.this.fixture();
    }
  }

  @Nested
  class SourceOutage extends SourceOutageContract {
    @Override
    protected SourceFixture fixture() {
      return SourceContract.this.fixture();
    }
  }
}
