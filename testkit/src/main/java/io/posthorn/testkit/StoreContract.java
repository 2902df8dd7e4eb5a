package io.posthorn.testkit;

import org.junit.jupiter.api.Nested;

/**
 * All that a store promises. A store that keeps it can serve a relay; the names of the tests, topic
 * by topic, are the list of guarantees.
 */
public abstract class StoreContract {
  /** An empty one for one test, which closes it at its end. */
  protected abstract TestDatabase database();

  @Nested
  class Append extends AppendContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }

  @Nested
  class Content extends ContentContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }

  @Nested
  class Claim extends ClaimContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }

  @Nested
  class OpenTransactions extends OpenTransactionsContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }

  @Nested
  class Settle extends SettleContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }
}
