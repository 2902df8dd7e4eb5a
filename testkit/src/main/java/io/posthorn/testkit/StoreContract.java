package io.posthorn.testkit;

import org.junit.jupiter.api.Nested;

/**
 * All that a store promises. A store that keeps it can serve a relay; the names of the tests, topic
 * by topic, are the list of guarantees.
 */
public abstract class StoreContract {
  /** An empty database for one test, which closes it at its end. */
  protected abstract TestDatabase database();

  @Nested
  class Appending extends AppendContract {
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
  class Ids extends IdContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }

  @Nested
  class ReusedIds extends ReusedIdContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }

  @Nested
  class DatabaseErrors extends DatabaseErrorContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }

  @Nested
  class OrderedAdds extends OrderedAddContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }

  @Nested
  class Claims extends ClaimContract {
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
  class Settling extends SettleContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }

  @Nested
  class Parking extends ParkingContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }

  @Nested
  class DeadLetters extends DeadLetterContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }

  @Nested
  class Rescue extends RescueContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }

  @Nested
  class Correction extends CorrectionContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }

  @Nested
  class Operations extends OperationContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }

  @Nested
  class PaceOfOperations extends OperationPaceContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }

  @Nested
  class LettersWithoutARoute extends UnroutedLettersContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }

  @Nested
  class SendingAgain extends SendAgainContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }

  @Nested
  class Steering extends SteeringContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }

  @Nested
  class Story extends StoryContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }

  @Nested
  class Statuses extends StatusContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }

  @Nested
  class Figures extends FiguresContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }

  @Nested
  class Pause extends PauseContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }

  @Nested
  class Schedule extends ScheduleContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }

  @Nested
  class Routes extends RoutesContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }

  @Nested
  class Removal extends RemovalContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }

  @Nested
  class Unrouted extends UnroutedContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }

  @Nested
  class Membership extends MembershipContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }

  @Nested
  class Retention extends RetentionContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }

  @Nested
  class Archive extends ArchiveContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }

  @Nested
  class Spill extends SpillContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }

  @Nested
  class Environment extends EnvironmentContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }

  @Nested
  class Restore extends RestoreContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }

  @Nested
  class Start extends StartContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }

  @Nested
  class Receiving extends InboxContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }

  @Nested
  class ReceivedAndParked extends InboxParkingContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }

  @Nested
  class Receipts extends ReceiptContract {
    @Override
    protected TestDatabase database() {
      return StoreContract.this.database();
    }
  }
}
