package io.posthorn.postgresql.inbox;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.inbox.Consumer;
import io.posthorn.core.inbox.Death;
import io.posthorn.core.inbox.InboxResult;
import io.posthorn.core.inbox.InboxVerdict;
import io.posthorn.core.source.Received;
import io.posthorn.postgresql.sql.TableNames;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Parks and buries what the database's verdicts say, and keeps count of the dead. */
final class Burials {
  private static final String PARKED = "PARKED";
  private static final Reason ID_REUSED =
      Reason.of(
          Reason.ID_REUSED,
          "another message of this sender has this id, and another payload. If both are meant, requeue this one under a new id");
  private static final Reason OTHER_SENDERS_ID =
      Reason.of(
          Reason.ID_REUSED,
          "a message of another sender has this id, and is parked. Requeue this one under a new id");
  private static final Reason OUT_OF_HORIZON =
      Reason.of(
          Reason.OUT_OF_HORIZON,
          "its id says that it is older than receipts are kept, or from the future, so whether it was handled before is not known. Requeue it if it was not");

  private final ArrivalParker parker;
  private final ReceivedBatch arrivals;
  private final List<Death> deaths = new ArrayList<>();

  Burials(Connection tx, TableNames tables, Consumer consumer, ReceivedBatch arrivals) {
    this.parker = new ArrivalParker(tx, tables, consumer);
    this.arrivals = arrivals;
  }

  /** What the words of {@code posthorn_receive} mean. */
  static InboxVerdict verdict(String said) {
    return switch (said) {
      case Reason.ID_REUSED, Reason.OUT_OF_HORIZON -> InboxVerdict.DEAD;
      // By a person's will, whatever its sequence is.
      case "AGAIN" -> InboxVerdict.NEW;
      default -> InboxVerdict.valueOf(said);
    };
  }

  InboxResult store() throws SQLException {
    return settle(parker.store(arrivals));
  }

  /** Parks those whose verdict says so. */
  InboxResult park(List<String> said, ArrivalParker.Wait wait) throws SQLException {
    return settle(
        said.contains(PARKED)
            ? parker.park(arrivals, said, wait)
            : new ArrivalParker.Parked(said, Set.of()));
  }

  /** The only one was rejected, unless somebody else has stored or handled it. */
  InboxResult bury(List<String> said, Reason reason) throws SQLException {
    if (!said.get(0).equals(PARKED)) {
      return settle(new ArrivalParker.Parked(said, Set.of()));
    }
    Received received = arrivals.distinct().get(0);
    boolean letter = parker.buryRejected(received, reason);
    return new InboxResult(
        List.of(InboxVerdict.DEAD), letter ? List.of(new Death(received, reason)) : List.of());
  }

  private InboxResult settle(ArrivalParker.Parked parked) throws SQLException {
    List<InboxVerdict> verdicts = new ArrayList<>();
    for (int i = 0; i < parked.verdicts().size(); i++) {
      Received received = arrivals.distinct().get(i);
      InboxVerdict verdict = verdict(parked.verdicts().get(i));
      if (verdict == InboxVerdict.PARKED && !parked.has(received)) {
        // Ids are unique within a sender, but parked messages are told apart by their ids alone.
        bury(received, OTHER_SENDERS_ID);
        verdict = InboxVerdict.DEAD;
      } else if (verdict == InboxVerdict.DEAD) {
        boolean reused = parked.verdicts().get(i).equals(Reason.ID_REUSED);
        bury(received, reused ? ID_REUSED : OUT_OF_HORIZON);
      }
      verdicts.add(verdict);
    }
    return new InboxResult(verdicts, deaths);
  }

  private void bury(Received message, Reason reason) throws SQLException {
    if (parker.bury(message, reason)) {
      deaths.add(new Death(message, reason));
    }
  }
}
