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

/** Parks and buries messages as the database's verdicts say, and counts the dead letters. */
final class Burials {
  private static final String PARKED = "PARKED";
  private static final Reason ID_REUSED =
      Reason.of(
          Reason.ID_REUSED,
          "another message of this sender has this id and another payload. If both messages are intended, requeue this one under a new id");
  private static final Reason OTHER_SENDERS_ID =
      Reason.of(
          Reason.ID_REUSED,
          "a message of another sender with this id is parked. Requeue this one under a new id");
  private static final Reason OUT_OF_HORIZON =
      Reason.of(
          Reason.OUT_OF_HORIZON,
          "the time in its id is older than receipts are kept, or in the future, so it is unknown whether it was handled before. Requeue it if it was not");

  private final ArrivalParker parker;
  private final ReceivedBatch arrivals;
  private final List<Death> deaths = new ArrayList<>();

  Burials(Connection tx, TableNames tables, Consumer consumer, ReceivedBatch arrivals) {
    this.parker = new ArrivalParker(tx, tables, consumer);
    this.arrivals = arrivals;
  }

  /** Translates a verdict of {@code posthorn_receive}. */
  static InboxVerdict verdict(String said) {
    return switch (said) {
      case Reason.ID_REUSED, Reason.OUT_OF_HORIZON -> InboxVerdict.DEAD;
      // A person has asked for it, whatever its sequence is.
      case "AGAIN" -> InboxVerdict.NEW;
      default -> InboxVerdict.valueOf(said);
    };
  }

  InboxResult store() throws SQLException {
    return settle(parker.store(arrivals));
  }

  /** Parks the messages whose verdict is PARKED. */
  InboxResult park(List<String> said, ArrivalParker.Wait wait) throws SQLException {
    return settle(
        said.contains(PARKED)
            ? parker.park(arrivals, said, wait)
            : new ArrivalParker.Parked(said, Set.of()));
  }

  /**
   * Buries the batch's only message, which the handler rejected, unless another consumer has stored
   * or handled it.
   */
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
        // Ids are unique within a sender, but the table of parked messages distinguishes them by id
        // alone.
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
