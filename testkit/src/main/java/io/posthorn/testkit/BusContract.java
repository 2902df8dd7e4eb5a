package io.posthorn.testkit;

import org.junit.jupiter.api.Nested;

/** All that a bus promises, on any store that keeps the {@link StoreContract}. */
public abstract class BusContract {
  /** An empty database for one test, which closes it at its end. */
  protected abstract TestDatabase database();

  @Nested
  class Receiving extends ReceivingContract {
    @Override
    protected TestDatabase database() {
      return BusContract.this.database();
    }
  }

  @Nested
  class HandlerFailure extends HandlerFailureContract {
    @Override
    protected TestDatabase database() {
      return BusContract.this.database();
    }
  }

  @Nested
  class HandlerTransaction extends HandlerTransactionContract {
    @Override
    protected TestDatabase database() {
      return BusContract.this.database();
    }
  }

  @Nested
  class HandlerDeath extends HandlerDeathContract {
    @Override
    protected TestDatabase database() {
      return BusContract.this.database();
    }
  }

  @Nested
  class Replay extends ReplayContract {
    @Override
    protected TestDatabase database() {
      return BusContract.this.database();
    }
  }

  @Nested
  class RollingDeploy extends RollingDeployContract {
    @Override
    protected TestDatabase database() {
      return BusContract.this.database();
    }
  }

  @Nested
  class UnknownTypes extends UnknownTypesContract {
    @Override
    protected TestDatabase database() {
      return BusContract.this.database();
    }
  }

  @Nested
  class SchemaVersions extends SchemaVersionContract {
    @Override
    protected TestDatabase database() {
      return BusContract.this.database();
    }
  }

  @Nested
  class InProcess extends InProcessContract {
    @Override
    protected TestDatabase database() {
      return BusContract.this.database();
    }
  }

  @Nested
  class HandlerOutage extends HandlerOutageContract {
    @Override
    protected TestDatabase database() {
      return BusContract.this.database();
    }
  }
}
