package io.posthorn.testkit;

import org.junit.jupiter.api.Nested;

/** All that a relay promises, on any store that keeps the {@link StoreContract}. */
public abstract class RelayContract {
  /** An empty database for one test, which closes it at its end. */
  protected abstract TestDatabase database();

  @Nested
  class Delivery extends DeliveryContract {
    @Override
    protected TestDatabase database() {
      return RelayContract.this.database();
    }
  }

  @Nested
  class Failure extends FailureContract {
    @Override
    protected TestDatabase database() {
      return RelayContract.this.database();
    }
  }

  @Nested
  class Blame extends BlameContract {
    @Override
    protected TestDatabase database() {
      return RelayContract.this.database();
    }
  }

  @Nested
  class Steering extends RelaySteeringContract {
    @Override
    protected TestDatabase database() {
      return RelayContract.this.database();
    }
  }

  @Nested
  class Unsettled extends UnsettledContract {
    @Override
    protected TestDatabase database() {
      return RelayContract.this.database();
    }
  }

  @Nested
  class Retries extends RetryContract {
    @Override
    protected TestDatabase database() {
      return RelayContract.this.database();
    }
  }

  @Nested
  class RefusingStore extends RefusingStoreContract {
    @Override
    protected TestDatabase database() {
      return RelayContract.this.database();
    }
  }

  @Nested
  class DestinationCheck extends DestinationCheckContract {
    @Override
    protected TestDatabase database() {
      return RelayContract.this.database();
    }
  }

  @Nested
  class Teamwork extends TeamworkContract {
    @Override
    protected TestDatabase database() {
      return RelayContract.this.database();
    }
  }

  @Nested
  class Rescue extends RescueByRelayContract {
    @Override
    protected TestDatabase database() {
      return RelayContract.this.database();
    }
  }

  @Nested
  class Expiry extends ExpiryContract {
    @Override
    protected TestDatabase database() {
      return RelayContract.this.database();
    }
  }

  @Nested
  class Housekeeping extends HousekeepingContract {
    @Override
    protected TestDatabase database() {
      return RelayContract.this.database();
    }
  }
}
